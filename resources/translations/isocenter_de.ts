<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
  <context>
    <name>Isocenter</name>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Calibration (*.json)</source>
      <translation>Kalibrierung (*.json)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>The calibration factor is measured with a scan of a cylinder of known activity. Reconstruct this scan with the same normalisation and corrections as patient scans and with a μ-map of the cylinder, but without a calibration.</source>
      <translation>Der Kalibrierungsfaktor wird mit dem Scan eines Zylinders bekannter Aktivität gemessen. Rekonstruieren Sie diesen Scan mit der gleichen Normalisierung und den gleichen Korrekturen wie Patientenscans und mit einer μ-Karte des Zylinders, aber ohne Kalibrierung.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Nothing has been measured yet.</source>
      <translation>Es wurde noch nichts gemessen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>First reconstruct the scan of the cylinder, or open its image.</source>
      <translation>Rekonstruieren Sie zuerst den Scan des Zylinders, oder öffnen Sie sein Bild.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>The displayed image is not the final one. Select the last image of the run.</source>
      <translation>Das angezeigte Bild ist nicht das fertige. Wählen Sie das letzte Bild des Laufs.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Calibrate to Bq/mL</source>
      <translation>In Bq/mL kalibrieren</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Save the result as a calibration file</source>
      <translation>Das Ergebnis als Kalibrierungsdatei speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Measure</source>
      <translation>Messen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>A field is empty or invalid. See the message below the field.</source>
      <translation>Ein Feld ist leer oder ungültig. Beachten Sie die Meldung unter dem Feld.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Searching for the cylinder …</source>
      <translation>Der Zylinder wird gesucht …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>The calibration failed.</source>
      <translation>Die Kalibrierung ist fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>1 count/mm corresponds to {number} positrons per mL, with an error of {error_percent:.2g} %. Acquire a longer scan: an error above {limit:g} % is too large.</source>
      <translation>1 Ereignis/mm entspricht {number} Positronen je mL, mit einem Fehler von {error_percent:.2g} %. Messen Sie länger: Ein Fehler über {limit:g} % ist zu groß.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>1 count/mm corresponds to {number} positrons per mL, with an error of {error_percent:.2g} %.</source>
      <translation>1 Ereignis/mm entspricht {number} Positronen je mL, mit einem Fehler von {error_percent:.2g} %.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>{activity:.4g} kBq/mL at the start of the scan. Mean of {n_voxels:,} voxels in a cylinder with a radius of {radius_mm:.1f} mm and a length of {length_mm:.1f} mm at ({x:g}, {y:g}, {z:g}) mm.</source>
      <translation>{activity:.4g} kBq/mL zu Beginn des Scans. Mittelwert von {n_voxels:,} Voxeln in einem Zylinder mit einem Radius von {radius_mm:.1f} mm und einer Länge von {length_mm:.1f} mm bei ({x:g}, {y:g}, {z:g}) mm.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Use the result as the calibration of the open scan</source>
      <translation>Das Ergebnis als Kalibrierung des geöffneten Scans verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Use the result for every scan from this scanner that you open from now on</source>
      <translation>Das Ergebnis für jeden Scan dieses Scanners verwenden, den Sie von jetzt an öffnen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Open a scan that can use a calibration</source>
      <translation>Öffnen Sie einen Scan, der eine Kalibrierung verwenden kann</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Save the calibration</source>
      <translation>Kalibrierung speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Use for the open scan</source>
      <translation>Für den geöffneten Scan verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Use for all scans from this scanner</source>
      <translation>Für alle Scans dieses Scanners verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Save …</source>
      <translation>Speichern …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Close</source>
      <translation>Schließen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>The open scan is from a different scanner: {name}.</source>
      <translation>Der geöffnete Scan ist von einem anderen Scanner: {name}.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Writing {name}</source>
      <translation>{name} wird geschrieben</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>{name} could not be written.</source>
      <translation>{name} konnte nicht geschrieben werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Saved: {target}</source>
      <translation>Gespeichert: {target}</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/measurement_dialog.py" />
      <source>Saved: {name}.</source>
      <translation>Gespeichert: {name}.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Normalisation (*.h5)</source>
      <translation>Normalisierung (*.h5)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>A normalisation corrects for the efficiency of each crystal and for the geometry of the lines of response. It is created from scans of a source with a known shape. Create a new one after each service. It applies to every scan from the scanner.</source>
      <translation>Eine Normalisierung korrigiert die Empfindlichkeit jedes Kristalls und die Geometrie der Antwortlinien. Sie wird aus Scans einer Quelle bekannter Form erstellt. Erstellen Sie nach jeder Wartung eine neue. Sie gilt für alle Scans des Scanners.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Use the result as the normalisation of the open scan</source>
      <translation>Das Ergebnis als Normalisierung des geöffneten Scans verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Use the result for every scan from this scanner that you open from now on. Scans from other scanners are not affected.</source>
      <translation>Das Ergebnis für jeden Scan dieses Scanners verwenden, den Sie von jetzt an öffnen. Scans anderer Scanner sind nicht betroffen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Create a normalisation</source>
      <translation>Normalisierung erstellen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Save the result as a normalisation file</source>
      <translation>Das Ergebnis als Normalisierungsdatei speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Events counted</source>
      <translation>Gezählte Ereignisse</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Start</source>
      <translation>Start</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Pause</source>
      <translation>Pause</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Pause after the current step, or continue</source>
      <translation>Nach dem laufenden Schritt pausieren, oder fortsetzen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Progress</source>
      <translation>Fortschritt</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Result</source>
      <translation>Ergebnis</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>The normalisation is still being computed. Nothing has been saved yet.</source>
      <translation>Die Normalisierung wird noch berechnet. Es wurde noch nichts gespeichert.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Normalisation in progress</source>
      <translation>Normalisierung läuft</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Stop and close</source>
      <translation>Beenden und schließen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Save the normalisation</source>
      <translation>Normalisierung speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Stop</source>
      <translation>Anhalten</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Continue</source>
      <translation>Weiter</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Open a scan that can use a normalisation.</source>
      <translation>Öffnen Sie einen Scan, der eine Normalisierung verwenden kann.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Add a scan of the source first.</source>
      <translation>Fügen Sie zuerst einen Scan der Quelle hinzu.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Scans of the source</source>
      <translation>Scans der Quelle</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Scanner</source>
      <translation>Scanner</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Source</source>
      <translation>Quelle</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>A source field is empty or invalid. See the message below the field.</source>
      <translation>Ein Feld der Quelle ist leer oder ungültig. Siehe die Meldung unter dem Feld.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Crystal efficiencies</source>
      <translation>Kristalleffizienzen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Geometric factor (measured / analytic), by ring difference</source>
      <translation>Geometriefaktor (gemessen / analytisch), nach Ringdifferenz</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>ring difference</source>
      <translation>Ringdifferenz</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Geometric factor (measured / analytic), by radial position</source>
      <translation>Geometriefaktor (gemessen / analytisch), nach Radius</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>tangential bins</source>
      <translation>tangentiale Bins</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Crystal interference in a block</source>
      <translation>Kristallinterferenz in einem Block</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Positions within a block were not measured separately.</source>
      <translation>Positionen innerhalb eines Blocks wurden nicht einzeln gemessen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Rows: {n_places} positions in a block. Columns: distance from the centre. Values: {low:.3g} to {high:.3g}.</source>
      <translation>Zeilen: {n_places} Positionen in einem Block. Spalten: Abstand von der Mitte. Werte: {low:.3g} bis {high:.3g}.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Rows: rings. Columns: position in the ring. Black: no counts.</source>
      <translation>Zeilen: Ringe. Spalten: Position im Ring. Schwarz: keine Ereignisse.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Rows: rings. Columns: position in the ring. Black: no counts. Values: {low:.3g} to {high:.3g}, with a median error of {median:.2g} % and a maximum error of {worst:.2g} %.</source>
      <translation>Zeilen: Ringe. Spalten: Position im Ring. Schwarz: keine Ereignisse. Werte: {low:.3g} bis {high:.3g}, mit einem mittleren Fehler von {median:.2g} % und einem größten Fehler von {worst:.2g} %.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Table of widths (*.txt)</source>
      <translation>Tabelle der Breiten (*.txt)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>The resolution is measured with point sources in air, each smaller than 1 mm. Put one source near the centre of the scanner and others farther out. Sources in one scan must be at least 25 mm apart.</source>
      <translation>Die Auflösung wird mit Punktquellen in Luft gemessen, die kleiner als 1 mm sind. Legen Sie eine Quelle nahe an die Mitte des Scanners und weitere weiter nach außen. Quellen in einem Scan müssen mindestens 25 mm voneinander entfernt sein.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Measure the resolution</source>
      <translation>Auflösung messen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Save the widths as a table</source>
      <translation>Breiten als Tabelle speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source> mm</source>
      <translation> mm</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Diameter of the sources</source>
      <translation>Durchmesser der Quellen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Scans of point sources</source>
      <translation>Scans von Punktquellen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Add a scan of point sources first.</source>
      <translation>Fügen Sie zuerst einen Scan von Punktquellen hinzu.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>The resolution could not be measured.</source>
      <translation>Die Auflösung konnte nicht gemessen werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Measuring the sources in {name} (scan {number} of {total}) …</source>
      <translation>Die Quellen in {name} werden gemessen (Scan {number} von {total}) …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Stopped. Nothing has been measured.</source>
      <translation>Abgebrochen. Es wurde nichts gemessen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>1 point source was measured.</source>
      <translation>1 Punktquelle wurde gemessen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>{n} point sources were measured.</source>
      <translation>{n} Punktquellen wurden gemessen.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Open a scan that can use a measured resolution.</source>
      <translation>Öffnen Sie einen Scan, der eine gemessene Auflösung verwenden kann.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Use the table as the measured resolution of the open scan</source>
      <translation>Die Tabelle als gemessene Auflösung des geöffneten Scans verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Use the table for every scan from this scanner that you open from now on</source>
      <translation>Die Tabelle für alle Scans dieses Scanners verwenden, die Sie ab jetzt öffnen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/resolution_dialog.py" />
      <source>Save the widths</source>
      <translation>Breiten speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>List-mode scans or sinograms of point sources</source>
      <translation>List-Mode-Scans oder Sinogramme von Punktquellen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>List-mode scans of the same source</source>
      <translation>List-Mode-Scans derselben Quelle</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>Add …</source>
      <translation>Hinzufügen …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>Remove</source>
      <translation>Entfernen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>Remove the selected scans from the list</source>
      <translation>Die ausgewählten Scans aus der Liste entfernen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>List-mode scans and sinograms ({kinds});;All files (*)</source>
      <translation>List-Mode-Scans und Sinogramme ({kinds});;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>List-mode scans ({kinds});;All files (*)</source>
      <translation>List-Mode-Scans ({kinds});;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>Add scans of the source</source>
      <translation>Scans der Quelle hinzufügen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scanner_choice.py" />
      <source>Scanners (*.toml *.txt *.csv *.tsv);;All files (*)</source>
      <translation>Scanner (*.toml *.txt *.csv *.tsv);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scanner_choice.py" />
      <source>From the scans</source>
      <translation>Aus den Scans</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scanner_choice.py" />
      <source>From a file …</source>
      <translation>Aus einer Datei …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scanner_choice.py" />
      <source>Choose a scanner</source>
      <translation>Scanner wählen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/width_table.py" />
      <source>Distance [mm]</source>
      <translation>Abstand [mm]</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/width_table.py" />
      <source>Radial [mm]</source>
      <translation>Radial [mm]</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/width_table.py" />
      <source>Tangential [mm]</source>
      <translation>Tangential [mm]</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/width_table.py" />
      <source>Axial [mm]</source>
      <translation>Axial [mm]</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/width_table.py" />
      <source>Lines of response</source>
      <translation>Antwortlinien</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/width_table.py" />
      <source>Full widths at half maximum with their standard errors, by distance from the axis</source>
      <translation>Halbwertsbreiten mit ihren Standardfehlern, nach Abstand von der Achse</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotation_text.py" />
      <source>Arrow</source>
      <translation>Pfeil</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotation_text.py" />
      <source>Text</source>
      <translation>Text</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotation_text.py" />
      <source>Distance</source>
      <translation>Abstand</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotation_text.py" />
      <source>Angle</source>
      <translation>Winkel</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotation_text.py" />
      <source>Curve</source>
      <translation>Kurve</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Press Tools next to the views to draw distances, angles, arrows, text and curves. Annotations are saved with the scan and with the study.</source>
      <translation>Mit Werkzeuge neben den Ansichten zeichnen Sie Abstände, Winkel, Pfeile, Text und Kurven. Anmerkungen werden mit dem Scan und mit der Studie gespeichert.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Annotations</source>
      <translation>Anmerkungen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>F2 edits the text. Delete removes the annotation.</source>
      <translation>F2 ändert den Text. Entf löscht die Anmerkung.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Text …</source>
      <translation>Text …</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Edit the text of the annotation (F2)</source>
      <translation>Den Text der Anmerkung ändern (F2)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Delete</source>
      <translation>Löschen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Delete the selected annotation (Delete)</source>
      <translation>Die gewählte Anmerkung löschen (Entf)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Straighten …</source>
      <translation>Strecken …</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Show the image straightened along the curve</source>
      <translation>Das entlang der Kurve gestreckte Bild zeigen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Undo the last change to annotations or regions</source>
      <translation>Letzte Änderung an Anmerkungen oder Regionen rückgängig machen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Redo the last undone change</source>
      <translation>Die zuletzt rückgängig gemachte Änderung wiederholen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/annotations_box.py" />
      <source>Annotation</source>
      <translation>Anmerkung</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>Image along a curve</source>
      <translation>Bild entlang einer Kurve</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>Averaging width across the curve ({length_unit})</source>
      <translation>Mittelungsbreite quer zur Kurve ({length_unit})</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>Copy</source>
      <translation>Kopieren</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>Copy the image to the clipboard</source>
      <translation>Das Bild in die Zwischenablage kopieren</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>Thickness ({length_unit})</source>
      <translation>Dicke ({length_unit})</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>Close this window. The curve is not deleted.</source>
      <translation>Dieses Fenster schließen. Die Kurve bleibt erhalten.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>The image along the curve could not be computed.</source>
      <translation>Das Bild entlang der Kurve konnte nicht berechnet werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/curve_window.py" />
      <source>mean over {thickness_mm:g} {length_unit}</source>
      <translation>Mittel über {thickness_mm:g} {length_unit}</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/iterate_curves.py" />
      <source>Values by iteration</source>
      <translation>Werte nach Iteration</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Draw a line</source>
      <translation>Linie zeichnen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Drag in a slice from one end of the line to the other. To move an end, drag it. (L)</source>
      <translation>In einer Schicht von einem Ende der Linie zum anderen ziehen. Ein Ende ziehen, um es zu verschieben. (L)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Keep</source>
      <translation>Behalten</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Keep this curve for comparison with other images</source>
      <translation>Diese Kurve zum Vergleich mit anderen Bildern behalten</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Clear</source>
      <translation>Leeren</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Remove the line</source>
      <translation>Die Linie entfernen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Save as CSV …</source>
      <translation>Als CSV speichern …</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Save the values along the line as a table</source>
      <translation>Die Werte entlang der Linie als Tabelle speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Value ({head})</source>
      <translation>Wert ({head})</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Value</source>
      <translation>Wert</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Maximum</source>
      <translation>Maximum</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Maximum at</source>
      <translation>Lage des Maximums</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>{at:.1f} {length} from end 1</source>
      <translation>{at:.1f} {length} von Ende 1</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Minimum</source>
      <translation>Minimum</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Length</source>
      <translation>Länge</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>End 1  (x, y, z)</source>
      <translation>Ende 1  (x, y, z)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>End 2  (x, y, z)</source>
      <translation>Ende 2  (x, y, z)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>FWHM of the peak</source>
      <translation>FWHM der Spitze</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>the line is too short</source>
      <translation>die Linie ist zu kurz</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>FWHM, interpolated</source>
      <translation>FWHM, interpoliert</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>FWHM, fitted</source>
      <translation>FWHM, angepasst</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Bias of the fit</source>
      <translation>Abweichung der Anpassung</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/measure_panel.py" />
      <source>Line profile</source>
      <translation>Linienprofil</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/measure_panel.py" />
      <source>Rods</source>
      <translation>Stäbe</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/measure_panel.py" />
      <source>Phantom</source>
      <translation>Phantom</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/measure_panel.py" />
      <source>Save as CSV</source>
      <translation>Als CSV speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/measure_panel.py" />
      <source>Tables (*.csv)</source>
      <translation>Tabellen (*.csv)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/measure_panel.py" />
      <source>Saved: {path}</source>
      <translation>Gespeichert: {path}</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Ratio of the activity in the hot spheres to that in the background</source>
      <translation>Verhältnis der Aktivität in den heißen Kugeln zu der im Hintergrund</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Find and measure the phantom in the displayed image</source>
      <translation>Das Phantom im angezeigten Bild finden und messen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Save report …</source>
      <translation>Bericht speichern …</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Save the measured values and slices as PDF or JSON</source>
      <translation>Gemessene Werte und Schichten als PDF oder JSON speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Contrast</source>
      <translation>Kontrast</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>to 1</source>
      <translation>zu 1</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Noise</source>
      <translation>Rauschen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>There is no image to measure.</source>
      <translation>Es gibt kein Bild zum Messen.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>{title}: {placement}. These values are not from the displayed image.</source>
      <translation>{title}: {placement}. Diese Werte stammen nicht aus dem angezeigten Bild.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Measuring: {title}</source>
      <translation>Messung: {title}</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>The phantom could not be measured.</source>
      <translation>Das Phantom konnte nicht gemessen werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Save the report</source>
      <translation>Bericht speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Report (*.pdf);;Values (*.json)</source>
      <translation>Bericht (*.pdf);;Werte (*.json)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Slices with the measured regions</source>
      <translation>Schichten mit den gemessenen Regionen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Rods perpendicular to the panels (y)</source>
      <translation>Stäbe senkrecht zu den Panels (y)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Rods along z</source>
      <translation>Stäbe entlang z</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>This is a Derenzo phantom</source>
      <translation>Dies ist ein Derenzo-Phantom</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>A phantom in the centre of the image, with rod diameters of 2.4, 2.0, 1.7, 1.35, 1.0 and 0.75 mm. The largest rods are towards +x. The centres of adjacent rods are two diameters apart.</source>
      <translation>Ein Phantom in der Mitte des Bildes, mit Stabdurchmessern von 2.4, 2.0, 1.7, 1.35, 1.0 und 0.75 mm. Die dicksten Stäbe liegen in Richtung +x. Die Mitten benachbarter Stäbe sind zwei Durchmesser voneinander entfernt.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Direction of the rods</source>
      <translation>Richtung der Stäbe</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Radius of the phantom [mm]</source>
      <translation>Radius des Phantoms [mm]</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Save the table</source>
      <translation>Die Tabelle speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Radius</source>
      <translation>Radius</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Valley / peak</source>
      <translation>Tal / Spitze</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>no contrast</source>
      <translation>kein Kontrast</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>resolved</source>
      <translation>getrennt</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>not resolved</source>
      <translation>nicht getrennt</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>Mean value between adjacent rods divided by the mean value in the rods, over the central 10 mm of their length. Rods are resolved if the ratio is below 0.735 (Rayleigh criterion).</source>
      <translation>Mittelwert zwischen benachbarten Stäben, geteilt durch den Mittelwert in den Stäben, über die mittleren 10 mm ihrer Länge. Stäbe sind getrennt, wenn das Verhältnis unter 0.735 liegt (Rayleigh-Kriterium).</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>A phantom with this radius contains no adjacent rods of the same size.</source>
      <translation>Ein Phantom mit diesem Radius enthält keine benachbarten Stäbe gleicher Größe.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Diameter of the sphere in mm</source>
      <translation>Durchmesser der Kugel in mm</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Save the curve as a table</source>
      <translation>Die Kurve als Tabelle speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Copy picture</source>
      <translation>Bild kopieren</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Copy a picture of the curve to the clipboard</source>
      <translation>Ein Bild der Kurve in die Zwischenablage kopieren</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Diameter of the sphere around the crosshair (mm)</source>
      <translation>Durchmesser der Kugel um das Fadenkreuz (mm)</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Values over time</source>
      <translation>Werte über die Zeit</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>x, y, z: {place} mm; {volume_mm3:.3g} mL</source>
      <translation>x, y, z: {place} mm; {volume_mm3:.3g} mL</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/live_figures.py" />
      <source>displayed image</source>
      <translation>angezeigtes Bild</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/live_figures.py" />
      <source>The regions could not be measured.</source>
      <translation>Die Regionen konnten nicht gemessen werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_changes.py" />
      <source>{second} − {first}: {change}, 95 %: {low} to {high}, significant</source>
      <translation>{second} − {first}: {change}, 95 %: {low} bis {high}, signifikant</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_changes.py" />
      <source>{second} − {first}: {change}, 95 %: {low} to {high}, not significant</source>
      <translation>{second} − {first}: {change}, 95 %: {low} bis {high}, nicht signifikant</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_changes.py" />
      <source>± 1 standard deviation of the noise, from {n} replicates</source>
      <translation>± 1 Standardabweichung des Rauschens, aus {n} Wiederholungen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_changes.py" />
      <source>{mark} significant (95 %, each region)</source>
      <translation>{mark} signifikant (95 %, je Region)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Background region</source>
      <translation>Hintergrundregion</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Region to compare with the selected region</source>
      <translation>Region, die mit der gewählten Region verglichen wird</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Contrast with</source>
      <translation>Kontrast zu</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Mean</source>
      <translation>Mittel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Standard deviation</source>
      <translation>Standardabweichung</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>SD of the voxel values</source>
      <translation>SD der Voxelwerte</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Coefficient of variation</source>
      <translation>Variationskoeffizient</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Minimum, maximum</source>
      <translation>Minimum, Maximum</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>{low} to {high}</source>
      <translation>{low} bis {high}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Peak (1 mL)</source>
      <translation>Spitze (1 mL)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Peak at (x, y, z)</source>
      <translation>Spitze bei (x, y, z)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>a 1 mL sphere does not fit</source>
      <translation>eine Kugel von 1 mL passt nicht hinein</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Volume</source>
      <translation>Volumen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>{volume_ml} mL, {n_voxels:,} voxels</source>
      <translation>{volume_ml} mL, {n_voxels:,} Voxel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Total</source>
      <translation>Summe</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>{percent}th percentile</source>
      <translation>{percent}. Perzentil</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Rule</source>
      <translation>Regel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>95 % interval of the mean</source>
      <translation>95-%-Intervall des Mittelwerts</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>1 standard deviation of the noise, from {n} replicates</source>
      <translation>1 Standardabweichung des Rauschens, aus {n} Wiederholungen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Means compared</source>
      <translation>Verglichene Mittelwerte</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Test</source>
      <translation>Test</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>paired t test over {n} replicates</source>
      <translation>gepaarter t-Test über {n} Wiederholungen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Difference of the means</source>
      <translation>Differenz der Mittelwerte</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>95 % interval of the difference</source>
      <translation>95-%-Intervall der Differenz</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Significance (95 %)</source>
      <translation>Signifikanz (95 %)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>significant, {p}</source>
      <translation>signifikant, {p}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>not significant, {p}</source>
      <translation>nicht signifikant, {p}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Change from {first} to {second}</source>
      <translation>Änderung von {first} zu {second}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Mean in {name}</source>
      <translation>Mittelwert in {name}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Welch’s t test, {n} and {m} replicates</source>
      <translation>Welch-Test, {n} und {m} Wiederholungen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>the same counts, compared by replicate</source>
      <translation>dieselben Ereignisse, je Wiederholung verglichen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>treated as independent</source>
      <translation>als unabhängig behandelt</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>independent (two scans)</source>
      <translation>unabhängig (zwei Scans)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Ratio of the means</source>
      <translation>Verhältnis der Mittelwerte</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Contrast-to-noise ratio</source>
      <translation>Kontrast-Rausch-Verhältnis</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>mean and volume: weighted by voxel fraction; minimum and maximum: voxels with their centres inside</source>
      <translation>Mittelwert und Volumen: gewichtet mit dem Voxelanteil; Minimum und Maximum: Voxel, deren Mitte innerhalb liegt</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>all values: voxels with their centres inside</source>
      <translation>alle Werte: Voxel, deren Mitte innerhalb liegt</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_drags.py" />
      <source>Sphere</source>
      <translation>Kugel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_drags.py" />
      <source>Ellipsoid</source>
      <translation>Ellipsoid</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_drags.py" />
      <source>Box</source>
      <translation>Quader</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_drags.py" />
      <source>Cylinder</source>
      <translation>Zylinder</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_drags.py" />
      <source>Polygon</source>
      <translation>Polygon</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_drags.py" />
      <source>Painted</source>
      <translation>Gemalt</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Regions (*.toml)</source>
      <translation>Regionen (*.toml)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>NIfTI labels (*.nii.gz *.nii)</source>
      <translation>NIfTI-Labels (*.nii.gz *.nii)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>DICOM files (*.dcm)</source>
      <translation>DICOM-Dateien (*.dcm)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>DICOM regions must refer to a DICOM series. Save the regions, then run `isocenter regions IMAGE --regions R.toml --dicom OUT.dcm --like FILE`, where FILE is an image from that series.</source>
      <translation>DICOM-Regionen müssen sich auf eine DICOM-Serie beziehen. Speichern Sie die Regionen und führen Sie dann `isocenter regions IMAGE --regions R.toml --dicom OUT.dcm --like FILE` aus. FILE ist ein Bild dieser Serie.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Regions, labels and DICOM (*.toml *.nii.gz *.nii *.dcm);;All files (*)</source>
      <translation>Regionen, Labels und DICOM (*.toml *.nii.gz *.nii *.dcm);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>These regions were drawn on another scan. They fit only if both scans show the same patient in the same position. Use them anyway?</source>
      <translation>Diese Regionen wurden auf einem anderen Scan gezeichnet. Sie passen nur, wenn beide Scans denselben Patienten in derselben Lage zeigen. Trotzdem verwenden?</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>These regions were drawn on the scan of a different patient, so they cannot be used. Draw them again on this scan.</source>
      <translation>Diese Regionen wurden auf dem Scan eines anderen Patienten gezeichnet und können deshalb nicht verwendet werden. Zeichnen Sie sie auf diesem Scan neu.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>The region table was copied to the clipboard.</source>
      <translation>Die Tabelle der Regionen wurde in die Zwischenablage kopiert.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Save regions</source>
      <translation>Regionen speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Save as labels</source>
      <translation>Als Labels speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Voxels in more than one region: {n_shared:,}. The label image assigns each of them to the region that covers most of it.</source>
      <translation>Voxel in mehreren Regionen: {n_shared:,}. Das Label-Bild ordnet jedes davon der Region zu, die den größten Teil davon abdeckt.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Save as DICOM segmentation</source>
      <translation>Als DICOM-Segmentierung speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Save as structure set</source>
      <translation>Als Strukturset speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Save as structured report</source>
      <translation>Als strukturierten Bericht speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Choose an image from the DICOM series</source>
      <translation>Ein Bild aus der DICOM-Serie wählen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Load regions</source>
      <translation>Regionen laden</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Reading {name}</source>
      <translation>{name} wird gelesen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>{name} contains no usable regions.</source>
      <translation>{name} enthält keine verwendbaren Regionen.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Different patient</source>
      <translation>Anderer Patient</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Regions from another scan</source>
      <translation>Regionen eines anderen Scans</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Use anyway</source>
      <translation>Trotzdem verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Regions from {title}</source>
      <translation>Regionen von {title}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Region</source>
      <translation>Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Change</source>
      <translation>Änderung</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>SD</source>
      <translation>SD</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Peak</source>
      <translation>Spitze</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>mL</source>
      <translation>mL</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Mean 2</source>
      <translation>Mittel 2</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Name of the region. The check box shows or hides the region. Press F2 to rename it or Delete to remove it.</source>
      <translation>Name der Region. Das Kästchen blendet die Region ein oder aus. F2 benennt sie um, Entf löscht sie.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Mean, weighted by the fraction of each voxel inside the region</source>
      <translation>Mittelwert, gewichtet mit dem Anteil jedes Voxels in der Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Mean in the second volume minus mean in the first</source>
      <translation>Mittelwert im zweiten Volumen minus Mittelwert im ersten</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Standard deviation of the voxel values</source>
      <translation>Standardabweichung der Voxelwerte</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Highest mean of a 1 mL sphere in the region</source>
      <translation>Höchster Mittelwert einer Kugel von 1 mL in der Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Volume of the region inside the image</source>
      <translation>Volumen der Region innerhalb des Bildes</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Mean in the second volume</source>
      <translation>Mittelwert im zweiten Volumen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Regions</source>
      <translation>ROIs</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Mean 1</source>
      <translation>Mittel 1</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>The name was not changed. {reason}.</source>
      <translation>Der Name wurde nicht geändert. {reason}.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Union</source>
      <translation>Vereinigung</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Voxels that belong to at least one selected region</source>
      <translation>Voxel, die zu mindestens einer gewählten Region gehören</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Intersection</source>
      <translation>Schnittmenge</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Voxels that belong to every selected region</source>
      <translation>Voxel, die zu jeder gewählten Region gehören</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>First minus the others</source>
      <translation>Erste minus die anderen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Voxels in the first selected region only</source>
      <translation>Voxel nur in der ersten gewählten Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Table for the displayed image …</source>
      <translation>Tabelle für das angezeigte Bild …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Table for all iterations or frames …</source>
      <translation>Tabelle für alle Iterationen oder Zeitabschnitte …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Regions …</source>
      <translation>Regionen …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Labels (NIfTI) …</source>
      <translation>Labels (NIfTI) …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Segmentation (DICOM) …</source>
      <translation>Segmentierung (DICOM) …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>For archives and viewers, linked to the DICOM series of the image</source>
      <translation>Für Archive und Betrachter, mit Bezug auf die DICOM-Serie des Bildes</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Structure set (DICOM RT) …</source>
      <translation>Strukturset (DICOM RT) …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Contours in the slices, for treatment planning and other programs</source>
      <translation>Konturen in den Schichten, für die Bestrahlungsplanung und andere Programme</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>Structured report (DICOM SR) …</source>
      <translation>Strukturierter Bericht (DICOM SR) …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_menus.py" />
      <source>All figures with their units, and a segmentation that the report refers to</source>
      <translation>Alle Werte mit ihren Einheiten und eine Segmentierung, auf die der Bericht verweist</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Centre of the region along {a} in mm</source>
      <translation>Mittelpunkt der Region entlang {a} in mm</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Size of the region along {a} in mm</source>
      <translation>Größe der Region entlang {a} in mm</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Method used to set the contour threshold</source>
      <translation>Verfahren für die Schwelle der Kontur</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Include the whole region, or only the voxels above a threshold</source>
      <translation>Die ganze Region berücksichtigen oder nur die Voxel über einer Schwelle</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Whole region</source>
      <translation>Ganze Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Contour threshold</source>
      <translation>Konturschwelle</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Only voxels connected to the maximum</source>
      <translation>Nur mit dem Maximum verbundene Voxel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Include only voxels that are connected to the maximum through shared faces</source>
      <translation>Nur Voxel berücksichtigen, die über gemeinsame Flächen mit dem Maximum verbunden sind</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Centre (mm)</source>
      <translation>Mitte (mm)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Size (mm)</source>
      <translation>Größe (mm)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Histogram of the region</source>
      <translation>Histogramm der Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Volume in mL by voxel value ({unit_text})</source>
      <translation>Volumen in mL nach Voxelwert ({unit_text})</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>no unit</source>
      <translation>keine Einheit</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Region means per iteration or frame</source>
      <translation>Mittelwerte der Regionen je Iteration oder Zeitabschnitt</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Time [s]</source>
      <translation>Zeit [s]</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Iteration</source>
      <translation>Iteration</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Mean per iteration ({unit_text})</source>
      <translation>Mittelwert je Iteration ({unit_text})</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Mean per frame ({unit_text}); bars: ±1 standard deviation of the noise</source>
      <translation>Mittelwert je Zeitabschnitt ({unit_text}); Balken: ±1 Standardabweichung des Rauschens</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Mean per frame ({unit_text})</source>
      <translation>Mittelwert je Zeitabschnitt ({unit_text})</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions saved with the study were drawn on another scan or on another computer. To use them, load their file in the Regions tab.</source>
      <translation>Die mit der Studie gespeicherten Regionen wurden auf einem anderen Scan oder an einem anderen Rechner gezeichnet. Um sie zu verwenden, laden Sie ihre Datei im Reiter ROIs.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The file stays in its folder. New regions do not overwrite it.</source>
      <translation>Die Datei bleibt in ihrem Ordner. Neue Regionen überschreiben sie nicht.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions are from an earlier version.</source>
      <translation>Die Regionen stammen von einer früheren Version.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>It compared only the header of the scan, which can be equal for two patients. Check that the regions fit.</source>
      <translation>Sie hat nur den Header des Scans verglichen, der bei zwei Patienten gleich sein kann. Prüfen Sie, ob die Regionen passen.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions could not be saved with the scan.</source>
      <translation>Die Regionen konnten nicht mit dem Scan gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>{path}: the program could not read these regions, so new ones did not overwrite them. The file is now {name}.</source>
      <translation>{path}: Diese Regionen waren nicht lesbar und wurden deshalb nicht durch neue überschrieben. Die Datei heißt jetzt {name}.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions could not be loaded.</source>
      <translation>Die Regionen konnten nicht geladen werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Press at the centre of the sphere and drag to its surface</source>
      <translation>Im Mittelpunkt der Kugel drücken und bis zur Oberfläche ziehen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag a rectangle around the ellipsoid</source>
      <translation>Ein Rechteck um das Ellipsoid ziehen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag from one corner of the box to the opposite corner</source>
      <translation>Von einer Ecke des Quaders zur gegenüberliegenden Ecke ziehen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag a rectangle around the cross-section of the cylinder. The axis is perpendicular to the slice.</source>
      <translation>Ein Rechteck um den Querschnitt des Zylinders ziehen. Die Achse steht senkrecht zur Schicht.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag around the area. Set the depth afterwards.</source>
      <translation>Um die Fläche ziehen. Die Tiefe setzen Sie danach.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Brush</source>
      <translation>Pinsel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Paint voxels. If the selected region was painted, the new voxels are added to it.</source>
      <translation>Voxel malen. Wenn die gewählte Region gemalt wurde, werden die neuen Voxel zu ihr hinzugefügt.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Brush diameter in mm</source>
      <translation>Pinseldurchmesser in mm</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Erase</source>
      <translation>Radieren</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Remove voxels instead of adding them</source>
      <translation>Voxel entfernen statt hinzufügen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Brush diameter (mm)</source>
      <translation>Pinseldurchmesser (mm)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Choose a tool and drag in a slice. Regions are saved with their scan and apply to all of its images. They apply to another scan only if you load them there.</source>
      <translation>Wählen Sie ein Werkzeug und ziehen Sie in einer Schicht. Regionen werden mit ihrem Scan gespeichert und gelten für alle seine Bilder. Für einen anderen Scan gelten sie nur, wenn Sie sie dort laden.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Select two or more regions.</source>
      <translation>Wählen Sie zwei oder mehr Regionen.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Undo the last change to the regions</source>
      <translation>Letzte Änderung der Regionen rückgängig machen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Combine</source>
      <translation>Verknüpfen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Copy the table with all values</source>
      <translation>Die Tabelle mit allen Werten kopieren</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Save</source>
      <translation>Speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Save tables, regions, or labels for other programs</source>
      <translation>Tabellen, Regionen oder Labels für andere Programme speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Change the colour, convert to voxels, duplicate, delete or load regions</source>
      <translation>Farbe ändern, in Voxel umwandeln, verdoppeln, löschen oder Regionen laden</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>More</source>
      <translation>Mehr</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Colour …</source>
      <translation>Farbe …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Convert to voxels of this image</source>
      <translation>In Voxel dieses Bildes umwandeln</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Duplicate</source>
      <translation>Verdoppeln</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Load from a file …</source>
      <translation>Aus einer Datei laden …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Use the regions from {title} …</source>
      <translation>Die Regionen von {title} verwenden …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Draw</source>
      <translation>Zeichnen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>There is no image to draw on.</source>
      <translation>Es gibt kein Bild zum Zeichnen.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Combine the selected regions into one</source>
      <translation>Die gewählten Regionen zu einer verknüpfen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Values in {name}</source>
      <translation>Werte in {name}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Mean 1: {first}. Mean 2: {second}.</source>
      <translation>Mittel 1: {first}. Mittel 2: {second}.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>{image} [{unit}]</source>
      <translation>{image} [{unit}]</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Colour of the region</source>
      <translation>Farbe der Region</translation>
    </message>
    <message>
      <location filename="app/language/internal_errors.py" />
      <source>Internal error ({name}: {e}); please report it.</source>
      <translation>Interner Fehler ({name}: {e}); bitte melden Sie ihn.</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Axial</source>
      <translation>Axial</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Coronal</source>
      <translation>Koronal</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Sagittal</source>
      <translation>Sagittal</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Projection</source>
      <translation>Projektion</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Radiological</source>
      <translation>Radiologisch</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Neurological</source>
      <translation>Neurologisch</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Linear</source>
      <translation>Linear</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Nearest</source>
      <translation>Nächster</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Fast</source>
      <translation>Schnell</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Standard</source>
      <translation>Standard</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Fine</source>
      <translation>Fein</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Smooth</source>
      <translation>Glatt</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Sharp</source>
      <translation>Scharf</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Automatic</source>
      <translation>Automatisch</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>On</source>
      <translation>Ein</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Off</source>
      <translation>Aus</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>None</source>
      <translation>Keine</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>All</source>
      <translation>Alle</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Both</source>
      <translation>Beide</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Left</source>
      <translation>Links</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Right</source>
      <translation>Rechts</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Half</source>
      <translation>Halb</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Full</source>
      <translation>Voll</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Blocks</source>
      <translation>Blöcke</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Crystals</source>
      <translation>Kristalle</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Singles</source>
      <translation>Singles</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Uniform</source>
      <translation>Gleichförmig</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Background</source>
      <translation>Im Modell</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Subtract</source>
      <translation>Abziehen</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Simulated</source>
      <translation>Simuliert</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Supplied</source>
      <translation>Mitgebracht</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Given</source>
      <translation>Angegeben</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Found</source>
      <translation>Gefunden</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Sorted</source>
      <translation>Sortiert</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Sampled</source>
      <translation>Stichprobe</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Exact</source>
      <translation>Genau</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Matched</source>
      <translation>Transponierte</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Interpolated</source>
      <translation>Interpoliert</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Even</source>
      <translation>Gleich</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Shared</source>
      <translation>Geteilt</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Sliding</source>
      <translation>Gleitend</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Growing</source>
      <translation>Wachsend</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Opposite</source>
      <translation>Gegenüber</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Bootstrap</source>
      <translation>Bootstrap</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Hessian (MAP only)</source>
      <translation>Hesse-Matrix (nur MAP)</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Infusion</source>
      <translation>Infusion</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Wedge</source>
      <translation>Keil</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>SUV by body weight</source>
      <translation>SUV nach Körpergewicht</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>SUV by lean mass (James)</source>
      <translation>SUV nach fettfreier Masse (James)</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>SUV by lean mass (Janmahasatian)</source>
      <translation>SUV nach fettfreier Masse (Janmahasatian)</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>SUV by body surface (Du Bois)</source>
      <translation>SUV nach Körperoberfläche (Du Bois)</translation>
    </message>
    <message>
      <location filename="app/live/angle_strip.py" />
      <source>Stored angles</source>
      <translation>Gespeicherte Winkel</translation>
    </message>
    <message>
      <location filename="app/live/angle_strip.py" />
      <source>X-ray source angles of the stored views</source>
      <translation>Winkel der Röntgenquelle in den gespeicherten Ansichten</translation>
    </message>
    <message>
      <location filename="app/live/angle_strip.py" />
      <source>{n} views</source>
      <translation>{n} Ansichten</translation>
    </message>
    <message>
      <location filename="app/live/angle_strip.py" />
      <source>No views yet</source>
      <translation>Noch keine Ansichten</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>X-ray projections</source>
      <translation>Röntgenprojektionen</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>PET events</source>
      <translation>PET-Ereignisse</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Shows slices while an X-ray scan is being acquired. The preparation steps and the filter are taken from the current CT protocol.</source>
      <translation>Zeigt Schichten, während ein Röntgenscan aufgenommen wird. Die Vorbereitungsschritte und der Filter stammen aus dem aktuellen CT-Protokoll.</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Shows the image while a PET scan is being acquired, and reports motion at once. Voxels, algorithm and filters are taken from the current list-mode protocol.</source>
      <translation>Zeigt das Bild, während ein PET-Scan aufgenommen wird, und meldet Bewegung sofort. Voxel, Algorithmus und Filter stammen aus dem aktuellen List-Mode-Protokoll.</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Scan type</source>
      <translation>Scantyp</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Connect</source>
      <translation>Verbinden</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Follow this source</source>
      <translation>Dieser Quelle folgen</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Live demo</source>
      <translation>Live-Demo</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Play a simulated scan and watch it come into focus</source>
      <translation>Einen simulierten Scan abspielen und zusehen, wie er scharf wird</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Back</source>
      <translation>Zurück</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Back to the images</source>
      <translation>Zurück zu den Bildern</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Follow a running scan</source>
      <translation>Einem laufenden Scan folgen</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Address of a sender (tcp://host:port), a list-mode file that a Siemens mMR or SAFIR scanner is writing, or a stored list-mode scan</source>
      <translation>Adresse eines Senders (tcp://host:port), eine List-Mode-Datei, die ein Siemens mMR oder SAFIR gerade schreibt, oder ein gespeicherter List-Mode-Scan</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Scanner name or scanner file, if the source does not specify the scanner</source>
      <translation>Name oder Datei des Scanners, wenn die Quelle den Scanner nicht angibt</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Play a stored scan as if it were being acquired now. 1 is the original speed, and 5 is five times as fast.</source>
      <translation>Einen gespeicherten Scan abspielen, als würde er jetzt aufgenommen. 1 ist die Originalgeschwindigkeit, und 5 ist fünfmal so schnell.</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>A μ-map applies to one patient position, and a normalisation to one scanner. Use the files of the current study only if they match the scan that is being acquired.</source>
      <translation>Eine μ-Karte gilt für eine Patientenlage, eine Normalisierung für einen Scanner. Verwenden Sie die Dateien der aktuellen Studie nur, wenn sie zu dem Scan passen, der gerade aufgenommen wird.</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>The playback speed {text!r} is not valid. Enter a multiple of the original speed, such as 1.</source>
      <translation>Das Abspieltempo {text!r} ist ungültig. Geben Sie ein Vielfaches des Originaltempos ein, etwa 1.</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Choose a file that is being written, or a stored scan</source>
      <translation>Eine Datei wählen, die gerade geschrieben wird, oder einen gespeicherten Scan</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>The current study has no correction files</source>
      <translation>Die aktuelle Studie hat keine Korrekturdateien</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>tcp://scanner:9668 or a file</source>
      <translation>tcp://scanner:9668 oder eine Datei</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>From the source</source>
      <translation>Aus der Quelle</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Playback speed</source>
      <translation>Abspieltempo</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Live scan</source>
      <translation>Live-Scan</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Events in the image</source>
      <translation>Ereignisse im Bild</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Use files from the current study</source>
      <translation>Dateien aus der aktuellen Studie verwenden</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>File …</source>
      <translation>Datei …</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Senders</source>
      <translation>Sender</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Events</source>
      <translation>Ereignisse</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Corrections</source>
      <translation>Korrekturen</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>× original speed (stored scans only)</source>
      <translation>× Originaltempo (nur gespeicherte Scans)</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Use {value}</source>
      <translation>{value} verwenden</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{latency_ms_median:.0f} ms (99th percentile: {latency_ms_p99:.0f} ms)</source>
      <translation>{latency_ms_median:.0f} ms (99. Perzentil: {latency_ms_p99:.0f} ms)</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{count}, {count_2} dropped</source>
      <translation>{count}, {count_2} verworfen</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{count} over {covered_deg:.0f}°</source>
      <translation>{count} über {covered_deg:.0f}°</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{memory_mib:,.0f} MiB</source>
      <translation>{memory_mib:,.0f} MiB</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{randoms:.0f} % of the prompts</source>
      <translation>{randoms:.0f} % der Prompts</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>at most {behind_s:.1f} s</source>
      <translation>höchstens {behind_s:.1f} s</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{n} prompts</source>
      <translation>{n} Prompts</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{count}, {count_2} lost</source>
      <translation>{count}, {count_2} verloren</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Isocenter stopped following the scan</source>
      <translation>Isocenter verfolgt den Scan nicht mehr</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Waiting for frames.</source>
      <translation>Warten auf Bilder.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Only the sender {name} is accepted now.</source>
      <translation>Ab jetzt wird nur der Sender {name} angenommen.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>The scan cannot be followed.</source>
      <translation>Der Scan kann nicht verfolgt werden.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Stopped by the user.</source>
      <translation>Vom Benutzer beendet.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Internal error: {name}: {e}</source>
      <translation>Interner Fehler: {name}: {e}</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Address of a sender (tcp://host:port) or of an EPICS channel (pva://CHANNEL), a folder that receives images, or an HDF5 file that is being written</source>
      <translation>Adresse eines Senders (tcp://host:port) oder eines EPICS-Kanals (pva://KANAL), ein Ordner, der Bilder empfängt, oder eine HDF5-Datei, die gerade geschrieben wird</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>A stored scan with the same geometry, if the source does not include its geometry</source>
      <translation>Ein gespeicherter Scan mit derselben Geometrie, wenn die Quelle ihre Geometrie nicht liefert</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Play a stored scan at this number of frames per second, as if it were being acquired now</source>
      <translation>Einen gespeicherten Scan mit so vielen Bildern pro Sekunde abspielen, als würde er jetzt aufgenommen</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>The playback speed {text!r} is not valid. Enter frames per second, such as 30.</source>
      <translation>Das Abspieltempo {text!r} ist ungültig. Geben Sie Bilder pro Sekunde ein, etwa 30.</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Choose a folder that receives images</source>
      <translation>Einen Ordner wählen, der Bilder empfängt</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>tcp://detector:9667, pva://CHANNEL, a folder or a file</source>
      <translation>tcp://detector:9667, pva://CHANNEL, ein Ordner oder eine Datei</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Geometry</source>
      <translation>Geometrie</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Views used for reconstruction</source>
      <translation>Ansichten für die Rekonstruktion</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Folder …</source>
      <translation>Ordner …</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Choose a scan with the same geometry</source>
      <translation>Einen Scan mit derselben Geometrie wählen</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Scan …</source>
      <translation>Scan …</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Views</source>
      <translation>Ansichten</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>frames/s (stored scans only)</source>
      <translation>Bilder/s (nur gespeicherte Scans)</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Scans (*.h5 *.nxs)</source>
      <translation>Scans (*.h5 *.nxs)</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Images (*.nii.gz *.h5 *.mha *.nrrd)</source>
      <translation>Bilder (*.nii.gz *.h5 *.mha *.nrrd)</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>This scan has not been saved. Save it first, or discard it.</source>
      <translation>Dieser Scan wurde nicht gespeichert. Speichern Sie ihn zuerst, oder verwerfen Sie ihn.</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>The scan could not be saved.</source>
      <translation>Der Scan konnte nicht gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>The image could not be saved.</source>
      <translation>Das Bild konnte nicht gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>The demo could not be started.</source>
      <translation>Die Demo konnte nicht gestartet werden.</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Scan not saved</source>
      <translation>Scan nicht gespeichert</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Discard</source>
      <translation>Verwerfen</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Save the scan</source>
      <translation>Scan speichern</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Scan saved: {path}</source>
      <translation>Scan gespeichert: {path}</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Saving the scan</source>
      <translation>Der Scan wird gespeichert</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Save the image</source>
      <translation>Bild speichern</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Image saved: {path}</source>
      <translation>Bild gespeichert: {path}</translation>
    </message>
    <message>
      <location filename="app/live/live_commands.py" />
      <source>Saving the image</source>
      <translation>Das Bild wird gespeichert</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Detector column of the rotation axis, counted from 0</source>
      <translation>Detektorspalte der Drehachse, gezählt ab 0</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>In-plane detector rotation</source>
      <translation>Drehung des Detektors in seiner Ebene</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Axis column</source>
      <translation>Achsenspalte</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Roll</source>
      <translation>Rollwinkel</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Find</source>
      <translation>Suchen</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Find the axis in the stored views</source>
      <translation>Die Achse in den gespeicherten Ansichten suchen</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Axis</source>
      <translation>Achse</translation>
    </message>
    <message>
      <location filename="app/live/live_model.py" />
      <source>Waiting: {whole}</source>
      <translation>Wartet: {whole}</translation>
    </message>
    <message>
      <location filename="app/live/live_model.py" />
      <source>There is no scan.</source>
      <translation>Es gibt keinen Scan.</translation>
    </message>
    <message>
      <location filename="app/live/live_page.py" />
      <source>Live</source>
      <translation>Live</translation>
    </message>
    <message>
      <location filename="app/live/live_request.py" />
      <source>All views from the start</source>
      <translation>Alle Ansichten von Anfang an</translation>
    </message>
    <message>
      <location filename="app/live/live_request.py" />
      <source>Last full rotation</source>
      <translation>Letzte volle Umdrehung</translation>
    </message>
    <message>
      <location filename="app/live/live_request.py" />
      <source>Last half rotation</source>
      <translation>Letzte halbe Umdrehung</translation>
    </message>
    <message>
      <location filename="app/live/pet_model.py" />
      <source>Waiting for events.</source>
      <translation>Warten auf Ereignisse.</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Save image …</source>
      <translation>Bild speichern …</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Save the displayed image with its provenance</source>
      <translation>Das angezeigte Bild mit seiner Herkunft speichern</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Prompts</source>
      <translation>Prompts</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Coincidences per second</source>
      <translation>Koinzidenzen pro Sekunde</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Randoms</source>
      <translation>Zufallskoinzidenzen</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Random coincidences, estimated from delayed coincidences if the scan contains them</source>
      <translation>Zufallskoinzidenzen, geschätzt aus verzögerten Koinzidenzen, wenn der Scan sie enthält</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Images</source>
      <translation>Bilder</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Image updates per second</source>
      <translation>Aktualisierungen des Bildes pro Sekunde</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Behind</source>
      <translation>Rückstand</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Maximum delay between the newest event and the displayed image</source>
      <translation>Größte Verzögerung zwischen dem neuesten Ereignis und dem angezeigten Bild</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Image</source>
      <translation>Bild</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Number of prompts in the image</source>
      <translation>Zahl der Prompts im Bild</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Time range</source>
      <translation>Zeitraum</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Time range of the scan used for the image</source>
      <translation>Zeitraum des Scans, aus dem das Bild stammt</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Events received, and events lost or skipped for lack of time or memory</source>
      <translation>Empfangene Ereignisse, und solche, die aus Mangel an Zeit oder Speicher verloren oder übersprungen wurden</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Memory</source>
      <translation>Speicher</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Memory used by the stored events</source>
      <translation>Speicher für die gespeicherten Ereignisse</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>No motion so far</source>
      <translation>Bisher keine Bewegung</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Motion detection starts after a few seconds</source>
      <translation>Die Bewegungserkennung beginnt nach einigen Sekunden</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>One image per motion-free period</source>
      <translation>Ein Bild je bewegungsfreiem Abschnitt</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>The full reconstruction creates a separate image for each period without motion, instead of one image from all events</source>
      <translation>Die vollständige Rekonstruktion erzeugt für jeden Abschnitt ohne Bewegung ein eigenes Bild, statt eines Bildes aus allen Ereignissen</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Reconstruct image</source>
      <translation>Bild rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Counts over time</source>
      <translation>Ereignisse über die Zeit</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Position of the activity over time</source>
      <translation>Lage der Aktivität über die Zeit</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Orientation of the activity distribution, if it is not round</source>
      <translation>Ausrichtung der Aktivitätsverteilung, wenn sie nicht rund ist</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Detector blocks</source>
      <translation>Detektorblöcke</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Object</source>
      <translation>Objekt</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Shift of the centre (mm) over time (s)</source>
      <translation>Verschiebung der Mitte (mm) über die Zeit (s)</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Rotation about z (°) over time (s)</source>
      <translation>Drehung um z (°) über die Zeit (s)</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Motion: {describe}</source>
      <translation>Bewegung: {describe}</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Counts per second over time (s)</source>
      <translation>Ereignisse pro Sekunde über die Zeit (s)</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Kilocounts per second over time (s)</source>
      <translation>Tausend Ereignisse pro Sekunde über die Zeit (s)</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>10^{power} counts per second over time (s)</source>
      <translation>10^{power} Ereignisse pro Sekunde über die Zeit (s)</translation>
    </message>
    <message>
      <location filename="app/live/pet_request.py" />
      <source>All events from the start</source>
      <translation>Alle Ereignisse von Anfang an</translation>
    </message>
    <message>
      <location filename="app/live/pet_request.py" />
      <source>Last 5 s</source>
      <translation>Letzte 5 s</translation>
    </message>
    <message>
      <location filename="app/live/pet_request.py" />
      <source>Last 10 s</source>
      <translation>Letzte 10 s</translation>
    </message>
    <message>
      <location filename="app/live/pet_request.py" />
      <source>Last 30 s</source>
      <translation>Letzte 30 s</translation>
    </message>
    <message>
      <location filename="app/live/pet_request.py" />
      <source>Last 60 s</source>
      <translation>Letzte 60 s</translation>
    </message>
    <message>
      <location filename="app/live/projection_pane.py" />
      <source>Newest projection</source>
      <translation>Neueste Projektion</translation>
    </message>
    <message>
      <location filename="app/live/projection_pane.py" />
      <source>Projection {index}   {columns} × {rows}, mean {mean}</source>
      <translation>Projektion {index}   {columns} × {rows}, Mittel {mean}</translation>
    </message>
    <message>
      <location filename="app/live/projection_pane.py" />
      <source>Projection {index} at {degrees:.1f}°   {columns} × {rows}, mean {mean}</source>
      <translation>Projektion {index} bei {degrees:.1f}°   {columns} × {rows}, Mittel {mean}</translation>
    </message>
    <message>
      <location filename="app/live/refused_senders.py" />
      <source>Use this sender</source>
      <translation>Diesen Sender verwenden</translation>
    </message>
    <message>
      <location filename="app/live/refused_senders.py" />
      <source>End the current recording and accept only this sender from now on. The recording stays on disk, and the data from this sender become a separate scan.</source>
      <translation>Die laufende Aufzeichnung beenden und ab jetzt nur diesen Sender annehmen. Die Aufzeichnung bleibt auf der Festplatte, und die Daten dieses Senders werden ein eigener Scan.</translation>
    </message>
    <message>
      <location filename="app/live/refused_senders.py" />
      <source>Refused sender {name}: 1 message</source>
      <translation>Abgewiesener Sender {name}: 1 Nachricht</translation>
    </message>
    <message>
      <location filename="app/live/refused_senders.py" />
      <source>Refused sender {name}: {n} messages</source>
      <translation>Abgewiesener Sender {name}: {n} Nachrichten</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Accept senders on other computers</source>
      <translation>Sender auf anderen Computern zulassen</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>If this box is not checked, tcp://*:PORT accepts only senders on this computer. If it is checked, the program listens on all networks. Check it again for each scan.</source>
      <translation>Ohne dieses Häkchen nimmt tcp://*:PORT nur Sender auf diesem Computer an. Mit dem Häkchen wartet das Programm in allen Netzwerken auf Sender. Setzen Sie es für jeden Scan neu.</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Public keys of the senders, or a file that contains them. Only these senders are accepted, and the connection is encrypted.</source>
      <translation>Öffentliche Schlüssel der Sender oder eine Datei, die sie enthält. Nur diese Sender werden angenommen, und die Verbindung ist verschlüsselt.</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Token, key or address of the only sender to accept. If this is empty, the first sender is accepted.</source>
      <translation>Token, Schlüssel oder Adresse des einzigen Senders, der angenommen wird. Wenn das Feld leer ist, wird der erste Sender angenommen.</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Set the sender keys, or accept only one sender</source>
      <translation>Die Schlüssel der Sender angeben oder nur einen Sender annehmen</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Choose a file with public keys</source>
      <translation>Datei mit öffentlichen Schlüsseln wählen</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Sender keys</source>
      <translation>Schlüssel der Sender</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Sender</source>
      <translation>Sender</translation>
    </message>
    <message>
      <location filename="app/live/sender_options.py" />
      <source>Key of this computer: {key}</source>
      <translation>Schlüssel dieses Computers: {key}</translation>
    </message>
    <message>
      <location filename="app/live/simulation_card.py" />
      <source>Progress of the simulation</source>
      <translation>Fortschritt der Simulation</translation>
    </message>
    <message>
      <location filename="app/live/simulation_card.py" />
      <source>Stop the simulation</source>
      <translation>Die Simulation beenden</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Save slices …</source>
      <translation>Schichten speichern …</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Save the displayed slices with their positions</source>
      <translation>Die angezeigten Schichten mit ihren Positionen speichern</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Reset the slices to planes through the centre, perpendicular to z, y and x</source>
      <translation>Die Schichten auf Ebenen durch die Mitte zurücksetzen, senkrecht zu z, y und x</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Frame rate</source>
      <translation>Bildrate</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Projections received per second</source>
      <translation>Empfangene Projektionen pro Sekunde</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Update rate</source>
      <translation>Aktualisierungsrate</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Slice updates per second</source>
      <translation>Aktualisierungen der Schichten pro Sekunde</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Latency</source>
      <translation>Verzögerung</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Time from the arrival of a frame to the first slices that include it: median and 99th percentile</source>
      <translation>Zeit von der Ankunft eines Bildes bis zu den ersten Schichten, die es enthalten: Median und 99. Perzentil</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Frames</source>
      <translation>Frames</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Projections received, and projections lost or skipped because newer ones arrived</source>
      <translation>Empfangene Projektionen, und solche, die verloren gingen oder wegen neuerer übersprungen wurden</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Views used for reconstruction, and the angular range that they cover</source>
      <translation>Ansichten für die Rekonstruktion, und der Winkelbereich, den sie abdecken</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Memory used by views and slices</source>
      <translation>Speicher für Ansichten und Schichten</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Reconstruct volume</source>
      <translation>Volumen rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Reset planes</source>
      <translation>Ebenen zurücksetzen</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Adjust during the scan</source>
      <translation>Während des Scans anpassen</translation>
    </message>
    <message>
      <location filename="app/live/source_form.py" />
      <source>Scans (*)</source>
      <translation>Scans (*)</translation>
    </message>
    <message>
      <location filename="app/live/source_form.py" />
      <source>Enter the source: an address, a folder or a file.</source>
      <translation>Geben Sie die Quelle ein: eine Adresse, einen Ordner oder eine Datei.</translation>
    </message>
    <message>
      <location filename="app/live/source_status.py" />
      <source>Connecting …</source>
      <translation>Verbindung wird hergestellt …</translation>
    </message>
    <message>
      <location filename="app/live/source_status.py" />
      <source>The scan has ended</source>
      <translation>Der Scan ist zu Ende</translation>
    </message>
    <message>
      <location filename="app/live/source_status.py" />
      <source>Running</source>
      <translation>Läuft</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>The program listens on all networks and accepts senders on other computers.</source>
      <translation>Das Programm wartet in allen Netzwerken und nimmt Sender auf anderen Computern an.</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>kept for comparison</source>
      <translation>zum Vergleich behalten</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>frozen</source>
      <translation>eingefroren</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Stop and save the received scan to a file</source>
      <translation>Beenden und den empfangenen Scan in einer Datei speichern</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Stop, save the scan in the export folder, and reconstruct it</source>
      <translation>Beenden, den Scan im Exportordner speichern und rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Freeze</source>
      <translation>Einfrieren</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Freeze the display. The scan continues.</source>
      <translation>Die Anzeige einfrieren. Der Scan läuft weiter.</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Keep for comparison</source>
      <translation>Zum Vergleich behalten</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Keep this image for comparison</source>
      <translation>Dieses Bild zum Vergleich behalten</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Show kept image</source>
      <translation>Behaltenes zeigen</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Show the kept image instead of the newest one</source>
      <translation>Das behaltene Bild statt des neuesten zeigen</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Save scan …</source>
      <translation>Scan speichern …</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Stop following the scan. The received data stay on the screen.</source>
      <translation>Den Scan nicht mehr verfolgen. Die empfangenen Daten bleiben sichtbar.</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Back to the images. The program continues to follow the scan.</source>
      <translation>Zurück zu den Bildern. Das Programm verfolgt den Scan weiter.</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Another scan</source>
      <translation>Anderer Scan</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Connect to another source</source>
      <translation>Mit einer anderen Quelle verbinden</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>The views show other volumes.</source>
      <translation>Die Ansichten zeigen andere Volumina.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Export</source>
      <translation>Exportieren</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>File</source>
      <translation>Datei</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Format</source>
      <translation>Format</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Scan</source>
      <translation>Scan</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Choose …</source>
      <translation>Wählen …</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Export to</source>
      <translation>Exportieren nach</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Volumes ({endings})</source>
      <translation>Volumina ({endings})</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>{endings} files contain all {n} gates. Other formats contain only their sum or mean.</source>
      <translation>Dateien mit {endings} enthalten alle {n} Gates. Andere Formate enthalten nur ihre Summe oder ihr Mittel.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>{endings} files contain all {n} frames. Other formats contain only their sum or mean.</source>
      <translation>Dateien mit {endings} enthalten alle {n} Zeitbilder. Andere Formate enthalten nur ihre Summe oder ihr Mittel.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>The name must end with one of {usual_suffixes}.</source>
      <translation>Der Name muss mit {usual_suffixes} enden.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Voxels: {describe}. Size before compression: {size}.</source>
      <translation>Voxel: {describe}. Größe vor der Kompression: {size}.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>Free disk space: {size}.</source>
      <translation>Freier Speicherplatz: {size}.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>The file will be assigned to patient {name}, {number}.</source>
      <translation>Die Datei wird dem Patienten {name}, {number}, zugeordnet.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>This file already exists ({exists}). You will be asked before it is replaced.</source>
      <translation>Die Datei gibt es schon ({exists}). Sie werden gefragt, bevor sie ersetzt wird.</translation>
    </message>
    <message>
      <location filename="app/output/export/exporting.py" />
      <source>Exported: {target}</source>
      <translation>Exportiert: {target}</translation>
    </message>
    <message>
      <location filename="app/output/export/exporting.py" />
      <source>Saving {name}</source>
      <translation>{name} wird gespeichert</translation>
    </message>
    <message>
      <location filename="app/output/export/exporting.py" />
      <source>{name} was not saved.</source>
      <translation>{name} wurde nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/output/export/suv_choice.py" />
      <source>Values</source>
      <translation>Werte</translation>
    </message>
    <message>
      <location filename="app/output/export/suv_choice.py" />
      <source>Values in {unit}</source>
      <translation>Werte in {unit}</translation>
    </message>
    <message>
      <location filename="app/output/export/writing.py" />
      <source>Before the final filters: {label}</source>
      <translation>Vor den abschließenden Filtern: {label}</translation>
    </message>
    <message>
      <location filename="app/output/export/writing.py" />
      <source>{parent}: not enough free disk space ({needed} needed, {free} free); choose another folder.</source>
      <translation>{parent}: zu wenig freier Speicherplatz ({needed} nötig, {free} frei); wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
      <location filename="app/output/report/archive_sending.py" />
      <source>Recall</source>
      <translation>Zurückrufen</translation>
    </message>
    <message>
      <location filename="app/output/report/archive_sending.py" />
      <source>Do not send this image</source>
      <translation>Dieses Bild nicht senden</translation>
    </message>
    <message>
      <location filename="app/output/report/archive_sending.py" />
      <source> (and {n} more)</source>
      <translation> (und {n} weitere)</translation>
    </message>
    <message>
      <location filename="app/output/report/archive_sending.py" />
      <source>Sends to {node} in {n} s</source>
      <translation>Wird in {n} s an {node} gesendet</translation>
    </message>
    <message>
      <location filename="app/output/report/archive_sending.py" />
      <source>{title} was recalled and not sent.</source>
      <translation>{title} wurde zurückgerufen und nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/output/report/judgement_buttons.py" />
      <source>Accept</source>
      <translation>Annehmen</translation>
    </message>
    <message>
      <location filename="app/output/report/judgement_buttons.py" />
      <source>Remarks</source>
      <translation>Bemerkungen</translation>
    </message>
    <message>
      <location filename="app/output/report/judgement_buttons.py" />
      <source>Reject</source>
      <translation>Ablehnen</translation>
    </message>
    <message>
      <location filename="app/output/report/judgement_buttons.py" />
      <source>The image is acceptable</source>
      <translation>Das Bild ist annehmbar</translation>
    </message>
    <message>
      <location filename="app/output/report/judgement_buttons.py" />
      <source>The image is acceptable with remarks</source>
      <translation>Das Bild ist mit Bemerkungen annehmbar</translation>
    </message>
    <message>
      <location filename="app/output/report/judgement_buttons.py" />
      <source>The image is not acceptable</source>
      <translation>Das Bild ist nicht annehmbar</translation>
    </message>
    <message>
      <location filename="app/output/report/live_preview.py" />
      <source>The preview could not be created.</source>
      <translation>Die Vorschau konnte nicht erstellt werden.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>No DICOM node is configured; add one in the settings.</source>
      <translation>Es ist kein DICOM-Knoten eingerichtet; tragen Sie einen in den Einstellungen ein.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>There is no result yet. A result is saved at the end of each run.</source>
      <translation>Es gibt noch kein Ergebnis. Am Ende jedes Laufs wird ein Ergebnis gespeichert.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>unknown</source>
      <translation>unbekannt</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>Saving the report</source>
      <translation>Bericht wird gespeichert</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>The report was not saved.</source>
      <translation>Der Bericht wurde nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>{node} accepted image and report.</source>
      <translation>{node} hat Bild und Bericht angenommen.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>{node} accepted the report.</source>
      <translation>{node} hat den Bericht angenommen.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>Sending image and report</source>
      <translation>Bild und Bericht werden gesendet</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>Sending the report</source>
      <translation>Der Bericht wird gesendet</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>The image was not sent.</source>
      <translation>Das Bild wurde nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>The report was not sent.</source>
      <translation>Der Bericht wurde nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>Report: {path}</source>
      <translation>Bericht: {path}</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Report</source>
      <translation>Bericht</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Full report, not just one page</source>
      <translation>Vollständiger Bericht, nicht nur eine Seite</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Scan details, all settings, image statistics and all checksums</source>
      <translation>Angaben zum Scan, alle Einstellungen, Bildstatistik und alle Prüfsummen</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Send the regions, too</source>
      <translation>Auch die Regionen senden</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>As structured report, segmentation and structure set, for archives and planning</source>
      <translation>Als strukturierter Bericht, Segmentierung und Strukturset, für Archive und Planung</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Save the report to a file</source>
      <translation>Den Bericht in einer Datei speichern</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Print …</source>
      <translation>Drucken …</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Print the report</source>
      <translation>Den Bericht drucken</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Send</source>
      <translation>Senden</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>First page of the report</source>
      <translation>Erste Seite des Berichts</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Send the report to {node}</source>
      <translation>Den Bericht an {node} senden</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Creating the preview</source>
      <translation>Vorschau wird erstellt</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Signing off</source>
      <translation>Freigabe</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Content</source>
      <translation>Inhalt</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Reports (*{ending})</source>
      <translation>Berichte (*{ending})</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Preparing the pages for printing</source>
      <translation>Seiten werden für den Druck vorbereitet</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>The report was not printed.</source>
      <translation>Der Bericht wurde nicht gedruckt.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>The report shows automatic pictures. To choose key images, right-click a view and choose “Add to the report” (E).</source>
      <translation>Der Bericht zeigt automatische Bilder. Um Schlüsselbilder zu wählen, klicken Sie mit der rechten Maustaste auf eine Ansicht und wählen Sie „Zum Bericht hinzufügen“ (E).</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Preview of the report</source>
      <translation>Vorschau des Berichts</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Key images of the report</source>
      <translation>Schlüsselbilder des Berichts</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Move up (Ctrl+Up)</source>
      <translation>Nach oben (Strg+Pfeil auf)</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Move down (Ctrl+Down)</source>
      <translation>Nach unten (Strg+Pfeil ab)</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Remove from the report (Delete)</source>
      <translation>Aus dem Bericht entfernen (Entf)</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Undo the last change to the key images</source>
      <translation>Letzte Änderung der Schlüsselbilder rückgängig machen</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Key images</source>
      <translation>Schlüsselbilder</translation>
    </message>
    <message>
      <location filename="app/output/report/report_panel.py" />
      <source>Page {n} of the report</source>
      <translation>Seite {n} des Berichts</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Review the image first: accept it, accept it with remarks, or reject it.</source>
      <translation>Beurteilen Sie zuerst das Bild: Nehmen Sie es an, nehmen Sie es mit Bemerkungen an, oder lehnen Sie es ab.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Enter a remark.</source>
      <translation>Geben Sie eine Bemerkung ein.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>The views show other volumes. Show this image before you sign it off.</source>
      <translation>Die Ansichten zeigen andere Volumina. Zeigen Sie dieses Bild, bevor Sie es freigeben.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Remark</source>
      <translation>Bemerkung</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Signed off by</source>
      <translation>Freigegeben von</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Person who signs off. You can edit the list of names in the settings.</source>
      <translation>Person, die freigibt. Die Liste der Namen können Sie in den Einstellungen ändern.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Sign off and save report</source>
      <translation>Freigeben und Bericht speichern</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Sign off and send report</source>
      <translation>Freigeben und Bericht senden</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Open the report</source>
      <translation>Bericht öffnen</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Open the report in the default program</source>
      <translation>Den Bericht im Standardprogramm öffnen</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>By</source>
      <translation>Von</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Record the review and save the report</source>
      <translation>Die Beurteilung festhalten und den Bericht speichern</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Record the review and save the report. Image and report go to {node} {n} s later.</source>
      <translation>Die Beurteilung festhalten und den Bericht speichern. Bild und Bericht gehen {n} s später an {node}.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Record the review, save the report and send it to {node}</source>
      <translation>Die Beurteilung festhalten, den Bericht speichern und an {node} senden</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>A reconstruction is running.</source>
      <translation>Eine Rekonstruktion läuft.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>The result has been signed off.</source>
      <translation>Das Ergebnis wurde freigegeben.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>{describe}. Report: {name}</source>
      <translation>{describe}. Bericht: {name}</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>No program opens {path}. Open it in a PDF viewer.</source>
      <translation>Kein Programm öffnet {path}. Öffnen Sie die Datei in einem PDF-Betrachter.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>The report was not opened.</source>
      <translation>Der Bericht wurde nicht geöffnet.</translation>
    </message>
    <message>
      <location filename="app/output/results/comparing_results.py" />
      <source>The results are not compared, because another image was opened meanwhile.</source>
      <translation>Die Ergebnisse werden nicht verglichen, weil inzwischen ein anderes Bild geöffnet wurde.</translation>
    </message>
    <message>
      <location filename="app/output/results/comparing_results.py" />
      <source>Reading the results</source>
      <translation>Die Ergebnisse werden gelesen</translation>
    </message>
    <message>
      <location filename="app/output/results/comparing_results.py" />
      <source>The results cannot be compared.</source>
      <translation>Die Ergebnisse können nicht verglichen werden.</translation>
    </message>
    <message>
      <location filename="app/output/results/film_strip.py" />
      <source>Results of this scan</source>
      <translation>Ergebnisse dieses Scans</translation>
    </message>
    <message>
      <location filename="app/output/results/film_strip.py" />
      <source>Click to open. Drop it on another result to compare the two.</source>
      <translation>Klicken öffnet das Ergebnis. Ziehen Sie es auf ein anderes, um beide zu vergleichen.</translation>
    </message>
    <message>
      <location filename="app/output/results/image_caption.py" />
      <source>Image from the previous run. The first image of this run is not available yet.</source>
      <translation>Bild des vorigen Laufs. Das erste Bild dieses Laufs ist noch nicht verfügbar.</translation>
    </message>
    <message>
      <location filename="app/output/results/image_caption.py" />
      <source>Image provenance</source>
      <translation>Herkunft des Bildes</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Accepted</source>
      <translation>Angenommen</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Accepted with remarks</source>
      <translation>Mit Bemerkungen angenommen</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Rejected</source>
      <translation>Abgelehnt</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>This image is from {0.then}, but the open scan is {0.now}.</source>
      <translation>Dieses Bild stammt von {0.then}, der geöffnete Scan ist aber {0.now}.</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>{created:%A, %d %B %Y %H:%M}, {clock} on {device}</source>
      <translation>{created:%d.%m.%Y %H:%M}, {clock} auf {device}</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Warnings: {n}</source>
      <translation>Warnungen: {n}</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Pinned: kept until you delete it</source>
      <translation>Angeheftet: wird behalten, bis Sie es löschen</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Exported</source>
      <translation>Exportiert</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Protocol: {name}. Algorithm: {describe}.</source>
      <translation>Protokoll: {name}. Algorithmus: {describe}.</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Changed since this image: {value}.</source>
      <translation>Seit diesem Bild geändert: {value}.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>No results yet. Every finished image is saved here with its settings and date. Nothing is lost when you start another run, open another scan or quit.</source>
      <translation>Noch keine Ergebnisse. Jedes fertige Bild wird hier mit Einstellungen und Datum gespeichert. Nichts geht verloren, wenn Sie einen neuen Lauf starten, einen anderen Scan öffnen oder das Programm beenden.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Results</source>
      <translation>Ergebnisse</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Open</source>
      <translation>Öffnen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Use settings</source>
      <translation>Übernehmen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Compare, overlay, pin, delete or show in folder</source>
      <translation>Vergleichen, überlagern, anheften, löschen oder im Ordner anzeigen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Pinned</source>
      <translation>Angeheftet</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Show in folder</source>
      <translation>Im Ordner zeigen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Compare with the displayed volume</source>
      <translation>Mit dem angezeigten Volumen vergleichen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Overlay on the displayed volume</source>
      <translation>Über das gezeigte Volumen legen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Show without closing the image of the current run</source>
      <translation>Zeigen, ohne das Bild des aktuellen Laufs zu schließen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Delete …</source>
      <translation>Löschen …</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Select a result in the list.</source>
      <translation>Wählen Sie ein Ergebnis in der Liste.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Show this image and its provenance (Return)</source>
      <translation>Dieses Bild und seine Herkunft zeigen (Eingabetaste)</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Use the protocol from this result for the open scan</source>
      <translation>Das Protokoll aus diesem Ergebnis für den geöffneten Scan verwenden</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Delete {scan}, {name}, {created:%d %b %Y %H:%M} from disk?</source>
      <translation>{scan}, {name}, {created:%d.%m.%Y %H:%M} vom Datenträger löschen?</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>This result has not been exported.</source>
      <translation>Dieses Ergebnis wurde nicht exportiert.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Delete this result?</source>
      <translation>Dieses Ergebnis löschen?</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>No details yet. This tab shows the details of the scan and the provenance of an image.</source>
      <translation>Noch keine Angaben. Dieser Reiter zeigt die Angaben zum Scan und die Herkunft eines Bildes.</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>Facts</source>
      <translation>Fakten</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>Scan details and image provenance</source>
      <translation>Angaben zum Scan und Herkunft des Bildes</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>Copy as text</source>
      <translation>Als Text kopieren</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>Copy everything to the clipboard</source>
      <translation>Alles in die Zwischenablage kopieren</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>none</source>
      <translation>keine</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>yes</source>
      <translation>ja</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>no</source>
      <translation>ohne</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Forward</source>
      <translation>Vorwärts</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Forward/back</source>
      <translation>Vor/zurück</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Forward/back (replicates)</source>
      <translation>Vor/zurück (Wiederholungen)</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Forward (ray-driven)</source>
      <translation>Vorwärts (strahlgetrieben)</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Back (ray-driven)</source>
      <translation>Zurück (strahlgetrieben)</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Registers are the fastest memory available to a thread. The fewer a kernel uses, the more threads can run on the GPU at once.</source>
      <translation>Register sind der schnellste Speicher, den ein Thread hat. Je weniger ein Kernel braucht, desto mehr Threads können gleichzeitig auf der GPU laufen.</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Threads that run on the GPU at once, as a share of the maximum (occupancy). While some threads wait for memory, others can compute. Above about 50 %, more threads rarely help.</source>
      <translation>Threads, die gleichzeitig auf der GPU laufen, als Anteil der höchstmöglichen Zahl (Auslastung). Während manche Threads auf den Speicher warten, können andere rechnen. Über etwa 50 % helfen mehr Threads selten.</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Threads in one block. They share the memory of the block.</source>
      <translation>Threads in einem Block. Sie teilen sich den Speicher des Blocks.</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Kernel</source>
      <translation>Kernel</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>A program that runs on the GPU.</source>
      <translation>Ein Programm, das auf der GPU läuft.</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Threads</source>
      <translation>Threads</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Registers</source>
      <translation>Register</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>Occupancy</source>
      <translation>Auslastung</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>{THREADS_TIP} This kernel uses {size} of shared memory.</source>
      <translation>{THREADS_TIP} Dieser Kernel nutzt {size} gemeinsamen Speicher.</translation>
    </message>
    <message>
      <location filename="app/run/kernel_table.py" />
      <source>{REGISTERS_TIP} This kernel needs more registers than are available, so each thread also uses {local_bytes} bytes of slow memory.</source>
      <translation>{REGISTERS_TIP} Dieser Kernel braucht mehr Register, als verfügbar sind. Deshalb nutzt jeder Thread auch {local_bytes} Bytes langsamen Speichers.</translation>
    </message>
    <message>
      <location filename="app/run/log_panel.py" />
      <source>Warning: </source>
      <translation>Warnung: </translation>
    </message>
    <message>
      <location filename="app/run/log_panel.py" />
      <source>Error: </source>
      <translation>Fehler: </translation>
    </message>
    <message>
      <location filename="app/run/log_panel.py" />
      <source>Log</source>
      <translation>Journal</translation>
    </message>
    <message>
      <location filename="app/run/log_panel.py" />
      <source>The log is empty.</source>
      <translation>Das Protokoll ist leer.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Process memory</source>
      <translation>Prozessspeicher</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Main memory used by the engine process.</source>
      <translation>Vom Rekonstruktionsprozess belegter Arbeitsspeicher.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Processor</source>
      <translation>Prozessor</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>{cpu_percent:.1f} cores busy</source>
      <translation>{cpu_percent:.1f} Kerne beschäftigt</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Average number of processor cores recently used by the engine.</source>
      <translation>Zuletzt vom Rekonstruktionsprozess im Mittel beschäftigte Prozessorkerne.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>The reconstruction runs on the processor with this number of threads.</source>
      <translation>Die Rekonstruktion läuft auf dem Prozessor mit dieser Zahl von Threads.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>compute capability {compute_capability:.1f}</source>
      <translation>Compute Capability {compute_capability:.1f}</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>{size} memory</source>
      <translation>{size} Speicher</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>peak bandwidth {bytes_per_s}</source>
      <translation>höchste Bandbreite {bytes_per_s}</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>CUDA driver {driver}</source>
      <translation>CUDA-Treiber {driver}</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Load, power and temperature of the GPU are not available. {reason}.</source>
      <translation>Auslastung, Leistung und Temperatur der GPU sind nicht verfügbar. {reason}.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>GPU memory used by all programs.</source>
      <translation>Von allen Programmen belegter GPU-Speicher.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>{used} of {total}</source>
      <translation>{used} von {total}</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>GPU memory</source>
      <translation>GPU-Speicher</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>GPU utilisation over the last sampling period.</source>
      <translation>Auslastung der GPU im letzten Messintervall.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>GPU load</source>
      <translation>GPU-Auslastung</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Power drawn by the GPU, and its power limit.</source>
      <translation>Leistungsaufnahme der GPU und ihre Leistungsgrenze.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Power</source>
      <translation>Leistung</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Temperature of the GPU. Near 90 °C, the GPU reduces its clock rate.</source>
      <translation>Temperatur der GPU. Nahe 90 °C senkt die GPU ihren Takt.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Temperature</source>
      <translation>Temperatur</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Clock rate of the GPU. It drops when the GPU is hot or idle.</source>
      <translation>Takt der GPU. Er sinkt, wenn die GPU heiß oder untätig ist.</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>Clock</source>
      <translation>Takt</translation>
    </message>
    <message>
      <location filename="app/run/machine_text.py" />
      <source>{clock_mhz:,.0f} MHz</source>
      <translation>{clock_mhz:,.0f} MHz</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>During a run, this tab shows the duration of each stage, the speed, and the load on the computer.</source>
      <translation>Dieser Reiter zeigt während eines Laufs die Dauer jedes Abschnitts, die Geschwindigkeit und die Auslastung des Rechners.</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Save all of these values to a JSON file</source>
      <translation>Alle diese Werte in einer JSON-Datei speichern</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Save the timeline as a trace, which Chrome (chrome://tracing) and Perfetto display</source>
      <translation>Die Zeitachse als Trace speichern, den Chrome (chrome://tracing) und Perfetto anzeigen</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Profile</source>
      <translation>Profil</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Speed of each stage</source>
      <translation>Geschwindigkeit jedes Abschnitts</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Memory bandwidth, achieved and possible</source>
      <translation>Speicherbandbreite, erreicht und möglich</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Machine</source>
      <translation>Rechner</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Export profile …</source>
      <translation>Profil exportieren …</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Export timeline …</source>
      <translation>Zeitachse exportieren …</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Time</source>
      <translation>Zeit</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Timeline of the newest calls</source>
      <translation>Zeitachse der letzten Aufrufe</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>There is no profile yet.</source>
      <translation>Noch gibt es kein Profil.</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>No profile yet</source>
      <translation>Noch kein Profil</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Export profile</source>
      <translation>Profil exportieren</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Profiles (*.json)</source>
      <translation>Profile (*.json)</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Export timeline</source>
      <translation>Zeitachse exportieren</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Traces (*.json)</source>
      <translation>Traces (*.json)</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Profile saved: {target}</source>
      <translation>Profil gespeichert: {target}</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Timeline saved: {target}</source>
      <translation>Zeitachse gespeichert: {target}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The scan is read from the disk.</source>
      <translation>Der Scan wird vom Datenträger gelesen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The kernels are compiled or loaded from the cache.</source>
      <translation>Die Kernel werden übersetzt oder aus dem Zwischenspeicher geladen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The system response of the panels is read, or computed and saved for the next run.</source>
      <translation>Die Systemantwort der Panels wird gelesen, oder berechnet und für den nächsten Lauf gespeichert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The data for each correction are computed from the scan.</source>
      <translation>Die Daten für jede Korrektur werden aus dem Scan berechnet.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Events are sorted so that consecutive events cross the same voxels.</source>
      <translation>Ereignisse werden so sortiert, dass aufeinanderfolgende Ereignisse dieselben Voxel kreuzen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Events are copied from main memory to GPU memory.</source>
      <translation>Ereignisse werden vom Arbeitsspeicher in den Speicher der GPU kopiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Scatter is simulated from low-resolution images of the scan, in several iterations.</source>
      <translation>Streuung wird in mehreren Iterationen aus niedrig aufgelösten Bildern des Scans simuliert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The sensitivity of the scanner is computed for each voxel and saved on disk for the next run.</source>
      <translation>Die Sensitivität des Scanners wird für jedes Voxel berechnet und für den nächsten Lauf auf dem Datenträger gespeichert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is summed along the line of each event.</source>
      <translation>Das Bild wird entlang der Linie jedes Ereignisses summiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The ratio of measured to estimated counts is back-projected along the line of each event.</source>
      <translation>Das Verhältnis der gemessenen zu den geschätzten Ereignissen wird entlang der Linie jedes Ereignisses zurückprojiziert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Forward and back projection in one pass. For each event, the image is summed along the line of the event and the voxels on this line are updated.</source>
      <translation>Vorwärts- und Rückprojektion in einem Durchgang. Für jedes Ereignis wird das Bild entlang der Linie des Ereignisses summiert, und die Voxel auf dieser Linie werden aktualisiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is updated voxel by voxel from the back-projected values.</source>
      <translation>Das Bild wird Voxel für Voxel mit den rückprojizierten Werten aktualisiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is smoothed, either between iterations or at the end.</source>
      <translation>Das Bild wird geglättet, entweder zwischen den Iterationen oder am Ende.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is copied for display in the window.</source>
      <translation>Das Bild wird für die Anzeige im Fenster kopiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is summed along the ray to each pixel.</source>
      <translation>Das Bild wird entlang des Strahls zu jedem Pixel summiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Each pixel is back-projected along its ray. This is the exact transpose of the forward projection.</source>
      <translation>Jedes Pixel wird entlang seines Strahls zurückprojiziert. Das ist die genaue Transponierte der Vorwärtsprojektion.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>voxel updates</source>
      <translation>Voxel-Aktualisierungen</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Each voxel reads the value at its projected position in each view. One voxel in one view counts as one update.</source>
      <translation>Jedes Voxel liest in jeder Ansicht den Wert an seiner projizierten Position. Ein Voxel in einer Ansicht zählt als eine Aktualisierung.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The rows of the projections are weighted and filtered.</source>
      <translation>Die Zeilen der Projektionen werden gewichtet und gefiltert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Projections are copied from main memory to GPU memory.</source>
      <translation>Projektionen werden vom Arbeitsspeicher in den Speicher der GPU kopiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Events forward- and back-projected per second of projection time. Reading, sorting, sensitivity, updates, filters and previews are not included.</source>
      <translation>Vorwärts- und rückprojizierte Ereignisse je Sekunde Projektionszeit. Lesen, Sortieren, Sensitivität, Aktualisierungen, Filter und Vorschauen zählen nicht mit.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Time spent in each stage so far, and its share of the total. Work on a GPU is timed by the GPU itself.</source>
      <translation>Bisherige Dauer jedes Abschnitts und ihr Anteil an der Gesamtzeit. Die Zeit für Arbeit auf einer GPU misst die GPU selbst.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Memory traffic per second, computed from the events and voxels, and its share of the peak bandwidth of the GPU memory. The caches serve part of the traffic, so the share can exceed 100 %. The share is much lower if the GPU waits for something else.</source>
      <translation>Speicherverkehr je Sekunde, berechnet aus Ereignissen und Voxeln, und sein Anteil an der höchsten Bandbreite des GPU-Speichers. Die Caches bedienen einen Teil des Verkehrs, daher kann der Anteil 100 % übersteigen. Wartet die GPU auf etwas anderes, ist der Anteil viel kleiner.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Data transferred between main memory and the GPU per second.</source>
      <translation>Zwischen Arbeitsspeicher und GPU übertragene Daten je Sekunde.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Computation time: {clock}</source>
      <translation>Rechenzeit: {clock}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>forward- and back-projected on {name}</source>
      <translation>vorwärts- und rückprojiziert auf {name}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>back-projected on {name}</source>
      <translation>zurückprojiziert auf {name}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{text}, {peak_share} of peak</source>
      <translation>{text}, {peak_share} der Spitze</translation>
    </message>
    <message>
      <location filename="app/run/profile_timeline.py" />
      <source>Kernels</source>
      <translation>Kernel</translation>
    </message>
    <message>
      <location filename="app/run/profile_timeline.py" />
      <source>Copies</source>
      <translation>Kopien</translation>
    </message>
    <message>
      <location filename="app/run/profile_timeline.py" />
      <source>Host</source>
      <translation>Host</translation>
    </message>
    <message>
      <location filename="app/run/profile_timeline.py" />
      <source>Thread {n}</source>
      <translation>Thread {n}</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Log-likelihood</source>
      <translation>Log-Likelihood</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Largest change in a region</source>
      <translation>Größte Änderung in einer Region</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Penalised log-likelihood</source>
      <translation>Log-Likelihood mit Strafterm</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{change} %, limit {limit} %</source>
      <translation>{change} %, Grenze {limit} %</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Residual</source>
      <translation>Residuum</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>at most {clock}</source>
      <translation>höchstens {clock}</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Time left</source>
      <translation>Restzeit</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Speed</source>
      <translation>Geschwindigkeit</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Whole run</source>
      <translation>Ganzer Lauf</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{n_warnings}, see the log</source>
      <translation>{n_warnings}, siehe Journal</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{n_warnings}, see the page Judge</source>
      <translation>{n_warnings}, siehe die Seite Beurteilen</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Warnings</source>
      <translation>Warnungen</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Nothing is running</source>
      <translation>Nichts läuft</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Paused</source>
      <translation>Angehalten</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Finished</source>
      <translation>Fertig</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Stopped by an error</source>
      <translation>Durch einen Fehler beendet</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Aborted</source>
      <translation>Abgebrochen</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{k} of at most {n}</source>
      <translation>{k} von höchstens {n}</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{k} of {n}</source>
      <translation>{k} von {n}</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{k:,} of {n:,}</source>
      <translation>{k:,} von {n:,}</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Slabs</source>
      <translation>Blöcke</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Slices</source>
      <translation>Schichten</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Subset</source>
      <translation>Teilmenge</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Frame</source>
      <translation>Zeitabschnitt</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Update</source>
      <translation>Aktualisierung</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Standard size</source>
      <translation>Standardgröße</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Size of the open study</source>
      <translation>Größe der geöffneten Studie</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Problem size</source>
      <translation>Problemgröße</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Device</source>
      <translation>Gerät</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Time must be a whole number of seconds from {MIN_S} to {MAX_S:,}.</source>
      <translation>Die Zeit muss eine ganze Zahl von Sekunden von {MIN_S} bis {MAX_S:,} sein.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>This computer has no usable device.</source>
      <translation>Dieser Rechner hat kein verwendbares Gerät.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Size</source>
      <translation>Größe</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>No variants are saved. All kernels use the default variant.</source>
      <translation>Keine Varianten gespeichert. Alle Kernel verwenden die Standardvariante.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>A variant is used only on the computer where it was found, and only for images of a similar size (rounded to a power of two).</source>
      <translation>Eine Variante wird nur auf dem Rechner verwendet, auf dem sie gefunden wurde, und nur für Bilder ähnlicher Größe (gerundet auf eine Zweierpotenz).</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Use the default variant again</source>
      <translation>Wieder die Standardvariante verwenden</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>The list could not be read.</source>
      <translation>Die Liste konnte nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Select a variant first</source>
      <translation>Wählen Sie zuerst eine Variante</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Some variants could not be removed.</source>
      <translation>Einige Varianten konnten nicht entfernt werden.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Saved variants</source>
      <translation>Gespeicherte Varianten</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>not used</source>
      <translation>nicht verwendet</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Found with another version of Isocenter. Tune again to use a variant.</source>
      <translation>Mit einer anderen Version von Isocenter gefunden. Stimmen Sie erneut ab, um eine Variante zu verwenden.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/tuning_dialog.py" />
      <source>Kernels can divide their work in many ways, and the fastest variant depends on the computer. Tuning tries variants for a set time. A variant is saved only if its results are correct and it is measurably faster than the default.</source>
      <translation>Kernel können ihre Arbeit auf viele Arten aufteilen, und die schnellste Variante hängt vom Rechner ab. Das Abstimmen probiert Varianten eine bestimmte Zeit lang. Eine Variante wird nur gespeichert, wenn ihre Ergebnisse stimmen und sie messbar schneller ist als die Standardvariante.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/tuning_dialog.py" />
      <source>Tune this machine</source>
      <translation>Diesen Rechner abstimmen</translation>
    </message>
    <message>
      <location filename="app/run/tuning/tuning_dialog.py" />
      <source>Stop and save</source>
      <translation>Beenden und speichern</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>No DICOM node is configured. Click to add one in the settings.</source>
      <translation>Es ist kein DICOM-Knoten eingerichtet. Klicken, um ihn in den Einstellungen einzutragen.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>There is no image yet.</source>
      <translation>Es gibt noch kein Bild.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>Send image and report to {node}</source>
      <translation>Bild und Bericht an {node} senden</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>No iterative reconstruction is running.</source>
      <translation>Es läuft keine iterative Rekonstruktion.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>Nothing is running.</source>
      <translation>Nichts läuft.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>Open a scan first.</source>
      <translation>Öffnen Sie zuerst einen Scan.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>Nothing to undo.</source>
      <translation>Es gibt nichts zurückzunehmen.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>Nothing to redo.</source>
      <translation>Es gibt nichts zu wiederholen.</translation>
    </message>
    <message>
      <location filename="app/shell/action_states.py" />
      <source>A live scan is open.</source>
      <translation>Es ist eine laufende Messung geöffnet.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open …</source>
      <translation>Öffnen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open a scan, study, protocol or volume</source>
      <translation>Einen Scan, eine Studie, ein Protokoll oder ein Volumen öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open folder …</source>
      <translation>Ordner öffnen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open a scan folder or a patient folder</source>
      <translation>Den Ordner eines Scans oder eines Patienten öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Import …</source>
      <translation>Importieren …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Import TIFF images or raw data, and enter the missing information</source>
      <translation>TIFF-Bilder oder Rohdaten importieren und die fehlenden Angaben eingeben</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Live …</source>
      <translation>Live …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Watch a scan during acquisition</source>
      <translation>Einen Scan während der Aufnahme verfolgen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Export …</source>
      <translation>Exportieren …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save the image to a file</source>
      <translation>Das Bild in einer Datei speichern</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Report …</source>
      <translation>Bericht …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Send the report to the DICOM node</source>
      <translation>Den Bericht an den DICOM-Knoten senden</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save study …</source>
      <translation>Studie speichern …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save the input files and the protocol as a study</source>
      <translation>Eingabedateien und Protokoll als Studie speichern</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save protocol as …</source>
      <translation>Protokoll speichern als …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save the current settings as a protocol</source>
      <translation>Die aktuellen Einstellungen als Protokoll speichern</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Protocols …</source>
      <translation>Protokolle …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save, rename, lock, share and delete protocols</source>
      <translation>Protokolle speichern, umbenennen, sperren, teilen und löschen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Storage …</source>
      <translation>Speicherplatz …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show and remove interrupted jobs and caches on this disk</source>
      <translation>Unterbrochene Aufträge und Zwischenspeicher auf diesem Datenträger zeigen und entfernen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Settings …</source>
      <translation>Einstellungen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Change the site, folders, theme, device and technician mode</source>
      <translation>Einrichtung, Ordner, Design, Gerät und Modus für technisches Personal ändern</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Technician mode</source>
      <translation>Modus für technisches Personal</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Quit</source>
      <translation>Beenden</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Close the window</source>
      <translation>Das Fenster schließen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Undo change</source>
      <translation>Änderung zurücknehmen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Undo the last settings change</source>
      <translation>Die letzte Änderung der Einstellungen zurücknehmen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Redo change</source>
      <translation>Änderung wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Redo the last settings change</source>
      <translation>Die zurückgenommene Änderung wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Reconstruct</source>
      <translation>Rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Pause after this update (Space)</source>
      <translation>Nach dieser Aktualisierung anhalten (Leertaste)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Finish and keep</source>
      <translation>Abschließen und behalten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Stop after this iteration, apply the filters and keep the image</source>
      <translation>Nach dieser Iteration beenden, filtern und das Bild behalten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Abort</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Stop now and keep the last image and checkpoint</source>
      <translation>Sofort anhalten; das letzte Bild und der letzte Sicherungspunkt bleiben erhalten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Add to queue</source>
      <translation>In die Warteschlange</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Queue …</source>
      <translation>Warteschlange …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show, reorder, pause or retry the queued studies</source>
      <translation>Wartende Studien zeigen, umordnen, anhalten oder wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Studies …</source>
      <translation>Studien …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show the worklist and all studies with their patient and status</source>
      <translation>Die Arbeitsliste und alle Studien mit Patient und Stand zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Tune this machine …</source>
      <translation>Diesen Rechner abstimmen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Create a normalisation …</source>
      <translation>Normalisierung erstellen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Calibrate to Bq/mL …</source>
      <translation>In Bq/mL kalibrieren …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Measure the resolution …</source>
      <translation>Auflösung messen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Views only</source>
      <translation>Nur Ansichten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Use the whole window for the images</source>
      <translation>Das ganze Fenster für die Bilder verwenden</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show SUV</source>
      <translation>SUV zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show PET images in SUV by body weight if dose, weight and times are known</source>
      <translation>PET-Bilder als SUV nach Körpergewicht zeigen, wenn Dosis, Gewicht und Zeiten bekannt sind</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show or hide the log</source>
      <translation>Journal zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Light or dark theme</source>
      <translation>Helles oder dunkles Design</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Switch between the light and dark themes</source>
      <translation>Zwischen hellem und dunklem Design wechseln</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Detach steps</source>
      <translation>Schritte ablösen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Detach results</source>
      <translation>Ergebnisse ablösen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Guide</source>
      <translation>Handbuch</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Tutorials, corrections, formulas and file formats</source>
      <translation>Anleitungen, Korrekturen, Formeln und Dateiformate</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Help and shortcuts</source>
      <translation>Hilfe und Tastenkürzel</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>First steps, shortcuts and glossary</source>
      <translation>Erste Schritte, Tastenkürzel und Glossar</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save support bundle …</source>
      <translation>Supportpaket speichern …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save the versions, settings, log and last error to send with a question. Names are removed.</source>
      <translation>Versionen, Einstellungen, Journal und den letzten Fehler speichern, um sie einer Frage beizulegen. Namen werden entfernt.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>About Isocenter</source>
      <translation>Über Isocenter</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Version and licence</source>
      <translation>Version und Lizenz</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Include the names of files and folders in images, provenance and logs. Otherwise, they are replaced by pseudonyms, and the key to the pseudonyms is stored with your settings.</source>
      <translation>Die Namen von Dateien und Ordnern in Bilder, Herkunft und Journale aufnehmen. Sonst werden sie durch Pseudonyme ersetzt, und der Schlüssel zu den Pseudonymen bleibt bei Ihren Einstellungen.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Include file names in output</source>
      <translation>Dateinamen mit ausgeben</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>A protocol was skipped. {sentence}</source>
      <translation>Ein Protokoll wurde übergangen. {sentence}</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>See the log for {n} more.</source>
      <translation>{n} weitere stehen im Journal.</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>Some settings or protocols could not be loaded.</source>
      <translation>Einige Einstellungen oder Protokolle konnten nicht geladen werden.</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>{name}: {fault}. Please report this error (Help &gt; Save support bundle).</source>
      <translation>{name}: {fault}. Bitte melden Sie diesen Fehler (Hilfe &gt; Supportpaket speichern).</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>Internal error.</source>
      <translation>Interner Fehler.</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>Your study and images are safe.</source>
      <translation>Ihre Studie und Ihre Bilder bleiben erhalten.</translation>
    </message>
    <message>
      <location filename="app/shell/central_area.py" />
      <source>Scan views</source>
      <translation>Ansichten des Scans</translation>
    </message>
    <message>
      <location filename="app/shell/central_area.py" />
      <source>Previous image (no iterations yet)</source>
      <translation>Voriges Bild (noch keine Iterationen)</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>You can change the device when the run has ended.</source>
      <translation>Sie können das Gerät wechseln, sobald der Lauf beendet ist.</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>The devices on this computer could not be listed.</source>
      <translation>Die Geräte dieses Computers konnten nicht aufgelistet werden.</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Automatic ({label})</source>
      <translation>Automatisch ({label})</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Use the GPU if available, otherwise the CPU</source>
      <translation>GPU verwenden, wenn verfügbar, sonst die CPU</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>{label}: {reason}</source>
      <translation>{label}: {reason}</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Device for reconstructions: {describe}</source>
      <translation>Gerät für Rekonstruktionen: {describe}</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Device: {label}</source>
      <translation>Gerät: {label}</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>{label} (not usable)</source>
      <translation>{label} (nicht verwendbar)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>Images, raw data and arrays (*.tif *.tiff *.raw *.bin *.dat *.img *.vol *.npy *.npz *.mat *.mrc *.h5 *.hdf5 *.nxs);;All files (*)</source>
      <translation>Bilder, Rohdaten und Arrays (*.tif *.tiff *.raw *.bin *.dat *.img *.vol *.npy *.npz *.mat *.mrc *.h5 *.hdf5 *.nxs);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>Open folder</source>
      <translation>Ordner öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>Import</source>
      <translation>Importieren</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>Scans and studies</source>
      <translation>Scans und Studien</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>Scanners</source>
      <translation>Scanner</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>Choose a file: {title}</source>
      <translation>Datei wählen: {title}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/file_choice.py" />
      <source>{name} ({patterns});;All files (*)</source>
      <translation>{name} ({patterns});;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/folder_dialog.py" />
      <source>Open from {folder}</source>
      <translation>Aus {folder} öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/folder_dialog.py" />
      <source>Scan or image</source>
      <translation>Scan oder Bild</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/folder_dialog.py" />
      <source>Scans and images in the folder</source>
      <translation>Scans und Bilder im Ordner</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/folder_dialog.py" />
      <source>Add all scans to the queue</source>
      <translation>Alle Scans in die Warteschlange</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/folder_dialog.py" />
      <source>The folder contains {n:,} scans and images. Choose one.</source>
      <translation>Der Ordner enthält {n:,} Scans und Bilder. Wählen Sie eines davon.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/passphrase.py" />
      <source>Results, sign-offs, reports and the audit log of this session are not signed, because the signing key is locked. To enter its passphrase, restart Isocenter.</source>
      <translation>Ergebnisse, Freigaben, Berichte und das Audit-Protokoll dieser Sitzung werden nicht signiert, weil der Signaturschlüssel gesperrt ist. Starten Sie Isocenter neu, um das Kennwort einzugeben.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/passphrase.py" />
      <source>The signing key is locked.</source>
      <translation>Der Signaturschlüssel ist gesperrt.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/passphrase.py" />
      <source>Passphrase for the signing key</source>
      <translation>Kennwort für den Signaturschlüssel</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/passphrase.py" />
      <source>Sign results</source>
      <translation>Ergebnisse signieren</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/passphrase.py" />
      <source>The passphrase is wrong. Enter the passphrase for the signing key again.</source>
      <translation>Das Kennwort ist falsch. Geben Sie das Kennwort für den Signaturschlüssel noch einmal ein.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Site</source>
      <translation>Einrichtung</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Folders</source>
      <translation>Ordner</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>DICOM node for images and reports</source>
      <translation>DICOM-Knoten für Bilder und Berichte</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>DICOM worklist</source>
      <translation>DICOM-Arbeitsliste</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Encrypted DICOM connections (TLS)</source>
      <translation>Verschlüsselte DICOM-Verbindungen (TLS)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>This computer</source>
      <translation>Dieser Rechner</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Technician</source>
      <translation>Technisches Personal</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Name</source>
      <translation>Name</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Protocols</source>
      <translation>Protokolle</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Node</source>
      <translation>Knoten</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>AE title</source>
      <translation>AE-Titel</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Authorities</source>
      <translation>Aussteller</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Certificate</source>
      <translation>Zertifikat</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Key</source>
      <translation>Schlüssel</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Names of the people who sign off reports, separated by commas. Leave blank to use the login name.</source>
      <translation>Namen der Personen, die Berichte freigeben, durch Kommas getrennt. Leer: der Anmeldename.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Settings</source>
      <translation>Einstellungen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Choose a file or folder</source>
      <translation>Datei oder Ordner wählen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>System default</source>
      <translation>Wie im System</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Dark</source>
      <translation>Dunkel</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Light</source>
      <translation>Hell</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Language</source>
      <translation>Sprache</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Restart Isocenter to apply a new language</source>
      <translation>Eine neue Sprache gilt nach einem Neustart von Isocenter</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Theme</source>
      <translation>Farben</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Colour theme of the window</source>
      <translation>Farbschema des Fensters</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Device used for reconstructions</source>
      <translation>Gerät für Rekonstruktionen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Start in technician mode</source>
      <translation>Im Modus für technisches Personal starten</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Start with a simplified window that has the four cards, the run and the review</source>
      <translation>Mit einem vereinfachten Fenster beginnen: die vier Karten, der Lauf und die Beurteilung</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Required to leave technician mode</source>
      <translation>Nötig, um den Modus für technisches Personal zu verlassen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Choose a logo</source>
      <translation>Logo wählen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Pictures (*.png *.jpg *.jpeg)</source>
      <translation>Bilder (*.png *.jpg *.jpeg)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Certificates and keys (*.pem *.crt *.cer *.key);;All files (*)</source>
      <translation>Zertifikate und Schlüssel (*.pem *.crt *.cer *.key);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Choose a file</source>
      <translation>Datei wählen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Choose a folder</source>
      <translation>Ordner wählen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Change passphrase …</source>
      <translation>Kennwort ändern …</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Set passphrase …</source>
      <translation>Kennwort setzen …</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Passphrase</source>
      <translation>Kennwort</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>New passphrase</source>
      <translation>Neues Kennwort</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>The passphrase must have at least {MIN_CHARACTERS} characters.</source>
      <translation>Das Kennwort muss mindestens {MIN_CHARACTERS} Zeichen haben.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Repeat the passphrase</source>
      <translation>Kennwort wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>The passphrases do not match. The passphrase was not changed.</source>
      <translation>Die Kennwörter stimmen nicht überein. Das Kennwort wurde nicht geändert.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>{path}: this folder does not exist; choose an existing one.</source>
      <translation>{path}: Diesen Ordner gibt es nicht; wählen Sie einen vorhandenen.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Last used</source>
      <translation>Zuletzt benutzt</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Storage</source>
      <translation>Speicherplatz</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Calculating disk usage …</source>
      <translation>Der belegte Speicherplatz wird ermittelt …</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove selected …</source>
      <translation>Ausgewählte entfernen …</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove caches unused for {OLD_DAYS} days …</source>
      <translation>Seit {OLD_DAYS} Tagen unbenutzte Zwischenspeicher entfernen …</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Caches are recreated when needed, which takes time</source>
      <translation>Zwischenspeicher werden bei Bedarf neu angelegt; das kostet Zeit</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>The folders could not be read.</source>
      <translation>Die Ordner konnten nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Isocenter uses {total} on this disk for its own files. Interrupted jobs can be resumed. Caches save time and are recreated when needed. Delete results one by one in the panel Results.</source>
      <translation>Isocenter belegt {total} auf diesem Datenträger mit eigenen Dateien. Unterbrochene Aufträge lassen sich fortsetzen. Zwischenspeicher sparen Zeit und werden bei Bedarf neu angelegt. Löschen Sie Ergebnisse einzeln in der Tafel Ergebnisse.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>{n_chosen:,} selected, {size}</source>
      <translation>{n_chosen:,} ausgewählt, {size}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Select jobs or caches first. Running jobs and results cannot be removed here.</source>
      <translation>Wählen Sie zuerst Aufträge oder Zwischenspeicher. Laufende Aufträge und Ergebnisse lassen sich hier nicht entfernen.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove 1 entry ({total})?</source>
      <translation>1 Eintrag entfernen ({total})?</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove {n:,} entries ({total})?</source>
      <translation>{n:,} Einträge entfernen ({total})?</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>1 interrupted job will be lost.</source>
      <translation>1 unterbrochener Auftrag geht verloren.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>{n:,} interrupted jobs will be lost.</source>
      <translation>{n:,} unterbrochene Aufträge gehen verloren.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove from disk</source>
      <translation>Vom Datenträger entfernen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Some entries could not be removed.</source>
      <translation>Einige Einträge konnten nicht entfernt werden.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Removed.</source>
      <translation>Entfernt.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Jobs, results and caches on the disk</source>
      <translation>Aufträge, Ergebnisse und Zwischenspeicher auf dem Datenträger</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>today</source>
      <translation>heute</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>{days:,.0f} days ago</source>
      <translation>vor {days:,.0f} Tagen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>1 day ago</source>
      <translation>vor 1 Tag</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>This is the complete content of the bundle. It contains no images and no scans. Placeholders such as [1] replace the names of patients, users, computers, files and folders. Check the bundle, save it, and send it with a description of what you did and what you expected.</source>
      <translation>Dies ist der vollständige Inhalt des Pakets. Es enthält keine Bilder und keine Scans. Namen von Patienten, Benutzern, Rechnern, Dateien und Ordnern sind durch Platzhalter wie [1] ersetzt. Prüfen und speichern Sie das Paket, und senden Sie es mit einer Beschreibung Ihrer Schritte und des erwarteten Ergebnisses.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>Support bundle</source>
      <translation>Supportpaket</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>Files in the bundle</source>
      <translation>Dateien im Paket</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>File content</source>
      <translation>Dateiinhalt</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>Collecting support information</source>
      <translation>Supportinformationen werden gesammelt</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>The support bundle could not be created.</source>
      <translation>Das Supportpaket konnte nicht erstellt werden.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>Save support bundle</source>
      <translation>Supportpaket speichern</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>Archives (*.zip)</source>
      <translation>Archive (*.zip)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/window_dialogs.py" />
      <source>Save study</source>
      <translation>Studie speichern</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/window_dialogs.py" />
      <source>Studies (*.toml)</source>
      <translation>Studien (*.toml)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/window_dialogs.py" />
      <source>Save protocol</source>
      <translation>Protokoll speichern</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/window_dialogs.py" />
      <source>Protocol name</source>
      <translation>Name des Protokolls</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Protocol</source>
      <translation>Protokoll</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Saved settings for the grid, corrections, algorithm and filters</source>
      <translation>Gespeicherte Einstellungen für Gitter, Korrekturen, Algorithmus und Filter</translation>
    </message>
    <message>
      <location filename="app/shell/header_parts.py" />
      <source>Pin this protocol</source>
      <translation>Dieses Protokoll anheften</translation>
    </message>
    <message>
      <location filename="app/shell/header_parts.py" />
      <source>{name!r} is pinned. Every {scanner} scan opens with it until the end of the day or session. Click to unpin it.</source>
      <translation>{name!r} ist angeheftet. Jeder Scan von {scanner} öffnet sich damit, bis der Tag oder die Sitzung endet. Klicken Sie, um es zu lösen.</translation>
    </message>
    <message>
      <location filename="app/shell/header_parts.py" />
      <source>Open every {scanner} scan with the saved protocol {name!r} until the end of the day or session</source>
      <translation>Jeden Scan von {scanner} mit dem gespeicherten Protokoll {name!r} öffnen, bis der Tag oder die Sitzung endet</translation>
    </message>
    <message>
      <location filename="app/shell/help/about_box.py" />
      <source>Isocenter {version}</source>
      <translation>Isocenter {version}</translation>
    </message>
    <message>
      <location filename="app/shell/help/about_box.py" />
      <source>Reconstructs images from PET and X-ray CT data.</source>
      <translation>Rekonstruiert Bilder aus PET- und Röntgen-CT-Daten.</translation>
    </message>
    <message>
      <location filename="app/shell/help/about_box.py" />
      <source>Research use only. Not for diagnosis or treatment.</source>
      <translation>Nur für die Forschung. Nicht für Diagnose oder Behandlung.</translation>
    </message>
    <message>
      <location filename="app/shell/help/about_box.py" />
      <source>Free software, BSD-3-Clause licence.</source>
      <translation>Freie Software, Lizenz BSD-3-Clause.</translation>
    </message>
    <message>
      <location filename="app/shell/help/about_box.py" />
      <source>The window uses Qt and PySide6 under the LGPL-3.0. Their licence texts are in {folder}. Their source code is at {source}.</source>
      <translation>Das Fenster verwendet Qt und PySide6 unter der LGPL-3.0. Ihre Lizenztexte liegen in {folder}. Ihr Quellcode liegt unter {source}.</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Determine crystal and line efficiencies from scans of a cylinder or a rotating line source</source>
      <translation>Die Empfindlichkeiten von Kristallen und Antwortlinien aus Scans eines Zylinders oder einer rotierenden Linienquelle bestimmen</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Measure the calibration factor from the displayed image of a cylinder with known activity</source>
      <translation>Den Kalibrierfaktor aus dem gezeigten Bild eines Zylinders bekannter Aktivität bestimmen</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Measure the resolution of a ring scanner with point sources</source>
      <translation>Auflösung eines Ringscanners mit Punktquellen messen</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Add this study with its current settings to the queue</source>
      <translation>Diese Studie mit ihren aktuellen Einstellungen in die Warteschlange stellen</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Find the fastest kernels for this computer and use them in later runs</source>
      <translation>Die schnellsten Kernel auf diesem Rechner finden und in späteren Läufen verwenden</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Sign off the result, then save, print or send its report</source>
      <translation>Das Ergebnis freigeben und den Bericht speichern, drucken oder senden</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Switch between the full window and a simplified one with the four cards, the run and the review</source>
      <translation>Zwischen dem vollständigen und einem vereinfachten Fenster wechseln: die vier Karten, der Lauf und die Beurteilung</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Move this panel to a separate window, for example on a second screen. Close the window to move the panel back.</source>
      <translation>Diesen Bereich in ein eigenes Fenster verschieben, etwa auf einem zweiten Bildschirm. Schließen Sie das Fenster, um ihn zurückzuholen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>Guide page</source>
      <translation>Seite des Handbuchs</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>Search the guide</source>
      <translation>Im Handbuch suchen</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>Guide pages</source>
      <translation>Seiten des Handbuchs</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>No page contains these words.</source>
      <translation>Keine Seite enthält diese Wörter.</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide_pages.py" />
      <source>For technicians</source>
      <translation>Für technisches Personal</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide_pages.py" />
      <source>For physicists</source>
      <translation>Für Physiker</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>1  Scan</source>
      <translation>1  Scan</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Open a PET or X-ray CT scan, or drop it on the window. The card shows the scanner, the patient and the number of warnings.</source>
      <translation>Öffnen Sie einen PET- oder Röntgen-CT-Scan oder ziehen Sie ihn in das Fenster. Die Karte zeigt den Scanner, den Patienten und die Zahl der Warnungen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>2  Protocol</source>
      <translation>2  Protokoll</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>The defaults suit most scans. Fast, Standard and Fine change the voxel size and the number of iterations together. “More” shows all settings.</source>
      <translation>Die Vorgaben passen für die meisten Scans. Schnell, Standard und Fein ändern Voxelgröße und Zahl der Iterationen gemeinsam. „Mehr“ zeigt alle Einstellungen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>3  Corrections</source>
      <translation>3  Korrekturen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Each row shows the effect of a correction, or the reason why it is not applied.</source>
      <translation>Jede Zeile zeigt die Wirkung einer Korrektur, oder warum sie nicht angewendet wird.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>4  Inputs</source>
      <translation>4  Eingaben</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Add a μ-map, a normalisation and the other files that the corrections need.</source>
      <translation>Fügen Sie eine μ-Karte, eine Normalisierung und die anderen Dateien hinzu, die die Korrekturen brauchen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>The status line shows the memory and time the run needs. During the run you can pause, abort, or finish early and keep the image.</source>
      <translation>Die Statuszeile zeigt, wie viel Speicher und Zeit der Lauf braucht. Während des Laufs können Sie anhalten, abbrechen, oder früher abschließen und das Bild behalten.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Judge</source>
      <translation>Beurteilen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>After the start, the images fill the window. The card above them shows the run and its warnings. Accept or reject the image there, send it, or open the next scan.</source>
      <translation>Nach dem Start füllen die Bilder das Fenster. Die Karte darüber zeigt den Lauf und seine Warnungen. Dort nehmen Sie das Bild an oder lehnen es ab, senden es oder öffnen den nächsten Scan.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Choose the device in the header. “Automatic” uses the GPU if available. If the GPU fails, the last image is kept and you can continue on the CPU. “Tune this machine” in the same menu finds the fastest kernels in about a minute.</source>
      <translation>Wählen Sie das Gerät in der Kopfzeile. „Automatisch“ verwendet die GPU, wenn es eine gibt. Fällt sie aus, bleibt das letzte Bild erhalten, und Sie können auf der CPU weitermachen. „Diesen Rechner abstimmen“ im selben Menü findet in etwa einer Minute die schnellsten Kernel.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>The panel Profile, next to Progress, shows the duration of each stage and the performance of the device.</source>
      <translation>Die Tafel Profil neben Fortschritt zeigt die Dauer jeder Stufe und die Leistung des Geräts.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Draw a line across a slice to plot the values along it and to measure the width of the highest peak. Keep a curve to compare iterations.</source>
      <translation>Zeichnen Sie eine Linie durch eine Schicht, um die Werte entlang der Linie zu sehen und die Breite der höchsten Spitze zu messen. Behalten Sie eine Kurve, um Iterationen zu vergleichen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Draw spheres, boxes, polygons or voxels in the slices to measure their mean, peak and volume. Regions are saved with their scan and apply to all its images.</source>
      <translation>Zeichnen Sie Kugeln, Quader, Polygone oder Voxel in die Schichten, um Mittelwert, Spitze und Volumen zu messen. ROIs werden mit ihrem Scan gespeichert und gelten für alle seine Bilder.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Every finished image is saved in the panel Results with its settings. There you can open it, reuse its settings, pin it or delete it.</source>
      <translation>Jedes fertige Bild wird mit seinen Einstellungen in der Tafel Ergebnisse gespeichert. Dort können Sie es öffnen, seine Einstellungen übernehmen, es anheften oder löschen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Several volumes</source>
      <translation>Mehrere Volumina</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Above the views, you can overlay a result, an iteration, the μ-map or a file on the displayed volume. Blend or swipe the two volumes, show them side by side, or show their difference or ratio.</source>
      <translation>Über den Ansichten können Sie das gezeigte Volumen mit einem Ergebnis, einer Iteration, der μ-Karte oder einer Datei überlagern. Zeigen Sie beide Volumina überblendet, gewischt oder nebeneinander, oder zeigen Sie ihre Differenz oder ihr Verhältnis.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Saves the displayed image, or any stored iteration, with its provenance.</source>
      <translation>Speichert das gezeigte Bild oder eine gespeicherte Iteration mit seiner Herkunft.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Open a file</source>
      <translation>Eine Datei öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Export the image</source>
      <translation>Das Bild exportieren</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Save the study</source>
      <translation>Die Studie speichern</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Save the settings as a protocol</source>
      <translation>Die Einstellungen als Protokoll speichern</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>All studies and the worklist</source>
      <translation>Alle Studien und die Arbeitsliste</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Protocols: save, rename, lock, share</source>
      <translation>Protokolle: speichern, umbenennen, sperren, teilen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Space or Ctrl+P</source>
      <translation>Leertaste oder Strg+P</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Pause or continue</source>
      <translation>Anhalten oder weiter</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+Shift+R, Ctrl+U</source>
      <translation>Strg+Umschalt+R, Strg+U</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Add the study to the queue, or show the queue</source>
      <translation>Die Studie in die Warteschlange stellen oder die Warteschlange zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+Z, Ctrl+Shift+Z</source>
      <translation>Strg+Z, Strg+Umschalt+Z</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Undo or redo a change</source>
      <translation>Eine Änderung zurücknehmen oder wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>[ and ]</source>
      <translation>[ und ]</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Previous or next iteration</source>
      <translation>Vorige oder nächste Iteration</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Switch between drawing lines in the slices and moving the crosshair</source>
      <translation>Zwischen Linien zeichnen und Fadenkreuz bewegen wechseln</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Play or stop a movie in the views</source>
      <translation>Einen Film in den Ansichten abspielen oder anhalten</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Add the view to the report</source>
      <translation>Ansicht zum Bericht hinzufügen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Show a magnifying glass at the pointer</source>
      <translation>Eine Lupe am Mauszeiger zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Switch between thick and single slices</source>
      <translation>Zwischen dicken und einzelnen Schichten wechseln</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Show or hide the overlaid volume</source>
      <translation>Das überlagerte Volumen zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Show or hide the crosshair</source>
      <translation>Das Fadenkreuz zeigen oder ausblenden</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Switch between the 3D view and the projection</source>
      <translation>Zwischen 3D-Ansicht und Projektion wechseln</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Rotate the slice by 90°, or mirror it</source>
      <translation>Die Schicht um 90° drehen oder spiegeln</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Copy the views as an image</source>
      <translation>Die Ansichten als Bild kopieren</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Show the volume, projections, geometry or oblique planes of an X-ray scan</source>
      <translation>Volumen, Projektionen, Geometrie oder schräge Ebenen eines Röntgenscans zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+1 … 4</source>
      <translation>Strg+1 … 4</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Open or close a card</source>
      <translation>Eine Karte öffnen oder schließen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Switch between Prepare and Judge</source>
      <translation>Zwischen Vorbereiten und Beurteilen wechseln</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Watch a running scan</source>
      <translation>Einen laufenden Scan verfolgen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>This help</source>
      <translation>Diese Hilfe</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>The guide: tutorials, corrections, formulas and file formats</source>
      <translation>Das Handbuch: Anleitungen, Korrekturen, Formeln und Dateiformate</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>In a view</source>
      <translation>In einer Ansicht</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Left drag: crosshair. Right drag: window. Wheel: slices. Ctrl+wheel: zoom. Double click: enlarge.</source>
      <translation>Links ziehen: Fadenkreuz. Rechts ziehen: Fensterung. Rad: Schichten. Strg+Rad: Zoom. Doppelklick: vergrößern.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Planes in 3-D</source>
      <translation>Ebenen im Raum</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Drag a plane to move it, or drag its round handles to rotate it. 1, 2, 3: select. PgUp, PgDn: move. Shift+arrows: rotate. Arrows: change the viewpoint. R: reset planes. 0: reset view.</source>
      <translation>Ziehen Sie eine Ebene, um sie zu verschieben, oder ihre runden Griffe, um sie zu drehen. 1, 2, 3: wählen. Bild auf, Bild ab: verschieben. Umschalt+Pfeile: drehen. Pfeile: Blickrichtung ändern. R: Ebenen zurücksetzen. 0: Ansicht zurücksetzen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Help</source>
      <translation>Hilfe</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>First steps</source>
      <translation>Erste Schritte</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Shortcuts</source>
      <translation>Tastenkürzel</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Glossary</source>
      <translation>Glossar</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+</source>
      <translation>Strg+</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Shift+</source>
      <translation>Umschalt+</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>The image has no fingerprint of its scan, so check that the open scan is of this patient.</source>
      <translation>Das Bild hat keinen Fingerabdruck seines Scans. Prüfen Sie deshalb, ob der offene Scan von diesem Patienten ist.</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>The quality was not changed.</source>
      <translation>Die Qualität wurde nicht geändert.</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>The version of the protocol that made this image is no longer saved.</source>
      <translation>Die Version des Protokolls, mit der dieses Bild entstand, ist nicht mehr gespeichert.</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>Again as</source>
      <translation>Nochmals als</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>Open the scan of this image first.</source>
      <translation>Öffnen Sie zuerst den Scan dieses Bildes.</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>The protocol of this image was changed, so it has no quality level.</source>
      <translation>Das Protokoll dieses Bildes wurde geändert, deshalb hat es keine Qualitätsstufe.</translation>
    </message>
    <message>
      <location filename="app/shell/judge/again_button.py" />
      <source>Prepare this scan again with another quality, to compare both images</source>
      <translation>Diesen Scan mit anderer Qualität noch einmal vorbereiten, um beide Bilder zu vergleichen</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>No image yet</source>
      <translation>Noch kein Bild</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>Previous image</source>
      <translation>Voriges Bild</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>aborted</source>
      <translation>abgebrochen</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>stopped by an error</source>
      <translation>durch einen Fehler beendet</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>Show who signed off, and the report</source>
      <translation>Zeigen, wer freigegeben hat, und den Bericht</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>Next scan</source>
      <translation>Nächster Scan</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>Open the next scan (Ctrl+O)</source>
      <translation>Den nächsten Scan öffnen (Strg+O)</translation>
    </message>
    <message>
      <location filename="app/shell/judge/judge_card.py" />
      <source>Sign off</source>
      <translation>Freigeben</translation>
    </message>
    <message>
      <location filename="app/shell/judge/run_warnings.py" />
      <source>{kind}: this correction was not applied. {text}</source>
      <translation>{kind}: Diese Korrektur wurde nicht angewendet. {text}</translation>
    </message>
    <message>
      <location filename="app/shell/live_mode.py" />
      <source>Choose the source of the live scan.</source>
      <translation>Wählen Sie die Quelle der laufenden Messung.</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>Header</source>
      <translation>Kopf</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>Workflow</source>
      <translation>Arbeitsablauf</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>Key image {n} was added to the report.</source>
      <translation>Schlüsselbild {n} wurde zum Bericht hinzugefügt.</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>{before} Send it again?</source>
      <translation>{before} Noch einmal senden?</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>Already sent</source>
      <translation>Schon gesendet</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>Send again</source>
      <translation>Noch einmal senden</translation>
    </message>
    <message>
      <location filename="app/shell/main_window.py" />
      <source>Drop to open</source>
      <translation>Zum Öffnen loslassen</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>&amp;File</source>
      <translation>&amp;Datei</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>&amp;Edit</source>
      <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>&amp;Run</source>
      <translation>&amp;Lauf</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>&amp;View</source>
      <translation>&amp;Ansicht</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>&amp;Help</source>
      <translation>&amp;Hilfe</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>Open recent</source>
      <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>No recent files</source>
      <translation>Keine zuletzt geöffneten Dateien</translation>
    </message>
    <message>
      <location filename="app/shell/menu_bar.py" />
      <source>Try a demo</source>
      <translation>Demo ausprobieren</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>Resume</source>
      <translation>Fortsetzen</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>Continue from the last checkpoint</source>
      <translation>Vom letzten Sicherungspunkt aus fortsetzen</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>The CPU gives the same result, but takes longer</source>
      <translation>Die CPU liefert dasselbe Ergebnis, braucht aber länger</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>Show log</source>
      <translation>Journal zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>Open the log (Ctrl+L)</source>
      <translation>Das Journal öffnen (Strg+L)</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>Dismiss</source>
      <translation>Ausblenden</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>Hide this message (Esc)</source>
      <translation>Diese Meldung verbergen (Esc)</translation>
    </message>
    <message>
      <location filename="app/shell/page/page_switch.py" />
      <source>Prepare</source>
      <translation>Vorbereiten</translation>
    </message>
    <message>
      <location filename="app/shell/page/page_switch.py" />
      <source>Choose the scan, protocol and corrections, and start the run</source>
      <translation>Scan, Protokoll und Korrekturen wählen und den Lauf starten</translation>
    </message>
    <message>
      <location filename="app/shell/page/page_switch.py" />
      <source>Look at the image, measure it, and sign it off</source>
      <translation>Das Bild ansehen, ausmessen und freigeben</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Convergence curve, speed and time of the run</source>
      <translation>Konvergenzkurve, Geschwindigkeit und Zeit des Laufs</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Time of each stage, and load of the computer</source>
      <translation>Zeit jeder Stufe und Auslastung des Rechners</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Facts of the scan, the run and the image</source>
      <translation>Angaben zu Scan, Lauf und Bild</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Profiles along lines, and figures of phantoms</source>
      <translation>Profile entlang von Linien und Kennzahlen von Phantomen</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Regions and their figures</source>
      <translation>Regionen und ihre Kennzahlen</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Preview of the report, and its key images</source>
      <translation>Vorschau des Berichts und seine Schlüsselbilder</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>All finished images</source>
      <translation>Alle fertigen Bilder</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Slices with the current settings, before a run</source>
      <translation>Schichten mit den aktuellen Einstellungen, vor einem Lauf</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Panels</source>
      <translation>Tafeln</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Run</source>
      <translation>Lauf</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Run. Progress, profile and facts of the run</source>
      <translation>Lauf. Fortschritt, Profil und Angaben zum Lauf</translation>
    </message>
    <message>
      <location filename="app/shell/page/panel_rail.py" />
      <source>Regions. Regions, profiles along lines, and figures of phantoms</source>
      <translation>Regionen. Regionen, Profile entlang von Linien und Werte von Phantomen</translation>
    </message>
    <message>
      <location filename="app/shell/prepare/protocol_card.py" />
      <source>1 warning about this protocol</source>
      <translation>1 Warnung zu diesem Protokoll</translation>
    </message>
    <message>
      <location filename="app/shell/prepare/protocol_card.py" />
      <source>{n} warnings about this protocol</source>
      <translation>{n} Warnungen zu diesem Protokoll</translation>
    </message>
    <message>
      <location filename="app/shell/prepare/protocol_card.py" />
      <source>Change to</source>
      <translation>Wechseln zu</translation>
    </message>
    <message>
      <location filename="app/shell/prepare/protocol_card.py" />
      <source>Use the protocol {name!r}</source>
      <translation>Das Protokoll {name!r} verwenden</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>paused</source>
      <translation>angehalten</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>finishing</source>
      <translation>wird abgeschlossen</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>at most {clock} left</source>
      <translation>noch höchstens {clock}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>{clock} left</source>
      <translation>noch {clock}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Slab {subset} of {subsets}, finished slices: {slices:,}</source>
      <translation>Block {subset} von {subsets}, fertige Schichten: {slices:,}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Frame {n} of {of}, update {k} of at most {parts}</source>
      <translation>Zeitabschnitt {n} von {of}, Aktualisierung {k} von höchstens {parts}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Frame {n} of {of}, update {k} of {parts}</source>
      <translation>Zeitabschnitt {n} von {of}, Aktualisierung {k} von {parts}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Frame {n} of {of}</source>
      <translation>Zeitabschnitt {n} von {of}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Iteration {n} of at most {of}</source>
      <translation>Iteration {n} von höchstens {of}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Iteration {n} of {of}, subset {k} of {parts}</source>
      <translation>Iteration {n} von {of}, Teilmenge {k} von {parts}</translation>
    </message>
    <message>
      <location filename="app/shell/running_page.py" />
      <source>Iteration {n} of {of}</source>
      <translation>Iteration {n} von {of}</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>The console needs two more packages. Install them with `pip install 'isocenter[console]'`, and start the program again.</source>
      <translation>Die Konsole braucht zwei weitere Pakete. Installieren Sie sie mit `pip install 'isocenter[console]'`, und starten Sie das Programm neu.</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>Open a Python console with the study and the image of this page</source>
      <translation>Eine Python-Konsole mit der Studie und dem Bild dieser Seite öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>Python console</source>
      <translation>Python-Konsole</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>The console has no study.</source>
      <translation>Die Konsole hat keine Studie.</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>Load study</source>
      <translation>Studie laden</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>Define study and volume again, as this page shows them</source>
      <translation>Studie und Bild dieser Seite festlegen</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/console.py" />
      <source>Commands run with your rights.</source>
      <translation>Befehle laufen mit Ihren Rechten.</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>This image was read from a file, so the program does not know its study.</source>
      <translation>Dieses Bild stammt aus einer Datei, daher kennt das Programm seine Studie nicht.</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>Copy a Python script that makes the same image</source>
      <translation>Ein Python-Skript kopieren, das dasselbe Bild erzeugt</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>Copy a command for the terminal that makes the same image</source>
      <translation>Einen Befehl für das Terminal kopieren, der dasselbe Bild erzeugt</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>Copy as Python</source>
      <translation>Als Python kopieren</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>Copy as command</source>
      <translation>Als Befehl kopieren</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>The study was not copied.</source>
      <translation>Die Studie wurde nicht kopiert.</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>A Python script for {study} was copied to the clipboard.</source>
      <translation>Ein Python-Skript für {study} wurde in die Zwischenablage kopiert.</translation>
    </message>
    <message>
      <location filename="app/shell/scripting/copying.py" />
      <source>A command for {study} was copied to the clipboard.</source>
      <translation>Ein Befehl für {study} wurde in die Zwischenablage kopiert.</translation>
    </message>
    <message>
      <location filename="app/shell/side_panels.py" />
      <source>Show: {title}</source>
      <translation>Zeigen: {title}</translation>
    </message>
    <message>
      <location filename="app/shell/side_panels.py" />
      <source>Fold this panel</source>
      <translation>Diese Tafel einklappen</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Not for clinical use</source>
      <translation>Nicht für die klinische Anwendung</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Stop this task</source>
      <translation>Diese Aufgabe anhalten</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Patient: {owner}</source>
      <translation>Patient: {owner}</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>The open scan belongs to {owner}. Click to show the studies and the worklist.</source>
      <translation>Der offene Scan gehört zu {owner}. Klicken Sie, um Studien und Arbeitsliste zu zeigen.</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>{n} in queue</source>
      <translation>{n} in der Warteschlange</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>{n} with a question</source>
      <translation>{n} mit einer Frage</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>{n} failed</source>
      <translation>{n} fehlgeschlagen</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Queue: {describe}</source>
      <translation>Warteschlange: {describe}</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Queue: {describe} (Ctrl+U to show)</source>
      <translation>Warteschlange: {describe} (Strg+U zum Zeigen)</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>To reconstruct, open a scan.</source>
      <translation>Zum Rekonstruieren öffnen Sie einen Scan.</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Finished.</source>
      <translation>Fertig.</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Stopped by an error.</source>
      <translation>Durch einen Fehler beendet.</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Finished. The next run has these requirements. {text}</source>
      <translation>Fertig. Der nächste Lauf hat folgenden Bedarf. {text}</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>The site has not approved the protocol {name!r}; choose another one in the header.</source>
      <translation>Die Einrichtung hat das Protokoll {name!r} nicht freigegeben; wählen Sie ein anderes in der Kopfzeile.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>Unlock</source>
      <translation>Entsperren</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>The passphrase is wrong.</source>
      <translation>Das Kennwort ist falsch.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>Unlock …</source>
      <translation>Entsperren …</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>signed off, not sent to {node} yet</source>
      <translation>freigegeben, noch nicht an {node} gesendet</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>signed off, not sent yet</source>
      <translation>freigegeben, noch nicht gesendet</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>Send {title}</source>
      <translation>{title} senden</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>Do not send this result</source>
      <translation>Dieses Ergebnis nicht senden</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>%d %b %H:%M:%S</source>
      <translation>%d.%m. %H:%M:%S</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>Reopen {title}</source>
      <translation>{title} wieder öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>Forget these settings</source>
      <translation>Diese Einstellungen verwerfen</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>in {folder}, not run</source>
      <translation>in {folder}, nicht gerechnet</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>{title} was signed off. Do not send it?</source>
      <translation>{title} wurde freigegeben. Nicht senden?</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>Result not sent</source>
      <translation>Ergebnis nicht gesendet</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>Do not send</source>
      <translation>Nicht senden</translation>
    </message>
    <message>
      <location filename="app/shell/unfinished_offers.py" />
      <source>{title} was discarded and not sent.</source>
      <translation>{title} wurde verworfen und nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>The image of {title} exists only in this window. It could not be saved to the results and was not exported. Discard it?</source>
      <translation>Das Bild von {title} existiert nur in diesem Fenster. Es konnte nicht bei den Ergebnissen gespeichert werden und wurde nicht exportiert. Verwerfen?</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Image not saved</source>
      <translation>Bild nicht gespeichert</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Closing the window aborts the run. The last image is saved to the results. You can resume the run later from its last checkpoint.</source>
      <translation>Wenn Sie das Fenster schließen, wird der Lauf abgebrochen. Das letzte Bild wird bei den Ergebnissen gespeichert. Sie können den Lauf später vom letzten Sicherungspunkt aus fortsetzen.</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>A reconstruction is running</source>
      <translation>Eine Rekonstruktion läuft</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Abort and close</source>
      <translation>Lauf beenden und schließen</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>{title} was signed off and not sent yet. If you close the window now, it is not sent.</source>
      <translation>{title} wurde freigegeben und noch nicht gesendet. Wenn Sie das Fenster jetzt schließen, wird es nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Image not sent</source>
      <translation>Bild nicht gesendet</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Close without sending</source>
      <translation>Schließen, ohne zu senden</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Live CT demo</source>
      <translation>Live-Demo CT</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Play a simulated CT scan and watch its slices sharpen</source>
      <translation>Einen simulierten CT-Scan abspielen und zusehen, wie seine Schichten scharf werden</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Live PET demo</source>
      <translation>Live-Demo PET</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Play a simulated PET scan and watch its image form</source>
      <translation>Einen simulierten PET-Scan abspielen und zusehen, wie sein Bild entsteht</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Open a scan …</source>
      <translation>Scan öffnen …</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Choose a PET or X-ray scan (Ctrl+O)</source>
      <translation>Einen PET- oder Röntgenscan wählen (Strg+O)</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Watch a running scan …</source>
      <translation>Laufenden Scan verfolgen …</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Watch the image form during acquisition (Ctrl+Shift+L)</source>
      <translation>Zusehen, wie das Bild während der Aufnahme entsteht (Strg+Umschalt+L)</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Stop the simulation without opening a scan</source>
      <translation>Die Simulation anhalten, ohne einen Scan zu öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Reconstruct a PET or X-ray CT scan and watch the image form.</source>
      <translation>Rekonstruieren Sie PET- und CT-Scans vor Ihren Augen.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>… or drop a file anywhere in this window.</source>
      <translation>… oder ziehen Sie eine Datei in dieses Fenster.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Try a demo, simulated on this computer</source>
      <translation>Eine Demo ausprobieren, auf diesem Rechner simuliert</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Another scan was opened in the meantime and stays open. To open the demo, choose it again.</source>
      <translation>Inzwischen wurde ein anderer Scan geöffnet; er bleibt offen. Um die Demo zu öffnen, wählen Sie sie noch einmal.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>The demo could not be opened.</source>
      <translation>Die Demo konnte nicht geöffnet werden.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>The demo was cancelled.</source>
      <translation>Die Demo wurde abgebrochen.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>The demo is ready.</source>
      <translation>Die Demo ist bereit.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Resume {title}</source>
      <translation>{title} fortsetzen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Save recording: {text}</source>
      <translation>Aufzeichnung speichern: {text}</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Delete this recording from the disk</source>
      <translation>Diese Aufzeichnung von der Festplatte löschen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Delete this recording from the disk?

{facts}</source>
      <translation>Diese Aufzeichnung von der Festplatte löschen?

{facts}</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Discard the recording</source>
      <translation>Aufzeichnung verwerfen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>The recording could not be discarded.</source>
      <translation>Die Aufzeichnung konnte nicht verworfen werden.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Interrupted</source>
      <translation>Unterbrochen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Recent</source>
      <translation>Zuletzt verwendet</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>{n:,} events recorded</source>
      <translation>{n:,} Ereignisse aufgezeichnet</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>{n:,} frames recorded</source>
      <translation>{n:,} Bilder aufgezeichnet</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>already saved as {name}</source>
      <translation>bereits gespeichert als {name}</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>{done} of {updates} updates, {created:%d %b %H:%M}</source>
      <translation>{done} von {updates} Aktualisierungen, {created:%d.%m. %H:%M}</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>original position</source>
      <translation>ursprüngliche Lage</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>found by image registration</source>
      <translation>durch Bildregistrierung gefunden</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>moved by hand</source>
      <translation>von Hand verschoben</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>Starting …</source>
      <translation>Beginnt …</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>Stopped. Search again, or move the μ-map by hand.</source>
      <translation>Beendet. Suchen Sie noch einmal, oder verschieben Sie die μ-Karte von Hand.</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>The μ-map was moved by hand: {distance_mm:.1f} mm, {angle_deg:.1f}°.</source>
      <translation>Die μ-Karte wurde von Hand verschoben: {distance_mm:.1f} mm, {angle_deg:.1f}°.</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>The μ-map is in its original position.</source>
      <translation>Die μ-Karte ist in ihrer ursprünglichen Lage.</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>The μ-map is in its original position. Result of the image registration: {found}</source>
      <translation>Die μ-Karte ist in ihrer ursprünglichen Lage. Ergebnis der Bildregistrierung: {found}</translation>
    </message>
    <message>
      <location filename="app/state/models/device_choice.py" />
      <source>Searching for devices on this computer.</source>
      <translation>Die Geräte dieses Rechners werden gesucht.</translation>
    </message>
    <message>
      <location filename="app/state/models/device_choice.py" />
      <source>The GPU cannot be used. {obstacle} You can also choose another device in the header.</source>
      <translation>Die GPU kann nicht verwendet werden. {obstacle} Sie können auch ein anderes Gerät in der Kopfzeile wählen.</translation>
    </message>
    <message>
      <location filename="app/state/models/device_choice.py" />
      <source>{size} of {size_2} memory free</source>
      <translation>{size} von {size_2} Speicher frei</translation>
    </message>
    <message>
      <location filename="app/state/models/images/error_images.py" />
      <source>Error (standard deviation)</source>
      <translation>Fehler (Standardabweichung)</translation>
    </message>
    <message>
      <location filename="app/state/models/images/error_images.py" />
      <source>Relative error</source>
      <translation>Relativer Fehler</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>Changed</source>
      <translation>Geändert</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>it.</source>
      <translation>It.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>frames</source>
      <translation>Frames</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>frame</source>
      <translation>Frame</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>subsets</source>
      <translation>Subsets</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>subset</source>
      <translation>Subset</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>off</source>
      <translation>aus</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>stopped</source>
      <translation>beendet</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>failed</source>
      <translation>fehlgeschlagen</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>converged</source>
      <translation>konvergiert</translation>
    </message>
    <message>
      <location filename="app/state/models/images/patient_order.py" />
      <source>The open scan belongs to a different patient than the order. Choose an order for this patient, or open the scan of the other patient.</source>
      <translation>Der offene Scan gehört zu einem anderen Patienten als der Auftrag. Wählen Sie einen Auftrag für diesen Patienten, oder öffnen Sie den Scan des anderen Patienten.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>The two images belong to different patients.</source>
      <translation>Die beiden Bilder gehören zu verschiedenen Patienten.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>The two images are from different scans, possibly of different patients.</source>
      <translation>Die beiden Bilder stammen aus verschiedenen Scans, vielleicht von verschiedenen Patienten.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>The two images have different frames of reference.</source>
      <translation>Die beiden Bilder haben verschiedene Bezugssysteme.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>unknown whether both images show the same patient</source>
      <translation>unbekannt, ob beide Bilder denselben Patienten zeigen</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>unknown patient position</source>
      <translation>unbekannte Lagerung des Patienten</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Reading the files …</source>
      <translation>Die Dateien werden gelesen …</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Missing: {value}. {note}</source>
      <translation>Es fehlt: {value}. {note}</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Choose the slice that is sharp and not mirrored.</source>
      <translation>Wählen Sie die Schicht, die scharf und nicht gespiegelt ist.</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Columns</source>
      <translation>Spalten</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Pixels per image row</source>
      <translation>Pixel je Bildzeile</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Rows</source>
      <translation>Zeilen</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Rows per image</source>
      <translation>Zeilen je Bild</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Type</source>
      <translation>Typ</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Data type of the stored values</source>
      <translation>Datentyp der gespeicherten Werte</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Byte order</source>
      <translation>Bytereihenfolge</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Byte order of the values</source>
      <translation>Bytereihenfolge der Werte</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Bytes before the first image</source>
      <translation>Bytes vor dem ersten Bild</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Array</source>
      <translation>Feld</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Name of the dataset that contains the projections</source>
      <translation>Name des Datensatzes, der die Projektionen enthält</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Physical quantity that the values represent</source>
      <translation>Physikalische Größe, die die Werte angeben</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Scale</source>
      <translation>Faktor</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Factor that converts the stored values to line integrals or transmissions, for example 0.001</source>
      <translation>Faktor, der die gespeicherten Werte in Linienintegrale oder Transmissionen umrechnet, etwa 0.001</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Open beam</source>
      <translation>Offener Strahl</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Detector counts without an object in the beam</source>
      <translation>Zählwert des Detektors ohne Objekt im Strahl</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Flats</source>
      <translation>Hellbilder</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>A folder, a file or the beginning of the file names. Enter “none” if there are none.</source>
      <translation>Ein Ordner, eine Datei oder der Anfang der Dateinamen. Geben Sie „none“ ein, wenn es keine gibt.</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Darks</source>
      <translation>Dunkelbilder</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Angles</source>
      <translation>Winkel</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Angular range in degrees (360 or 180), first angle and step (0:0.5), or a text file with the angles</source>
      <translation>Winkelbereich in Grad (360 oder 180), erster Winkel und Schritt (0:0.5) oder eine Textdatei mit den Winkeln</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Beam</source>
      <translation>Strahl</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>“parallel”, or the distances from the source to the axis and to the detector in mm, for example 100,400</source>
      <translation>„parallel“, oder die Abstände von der Quelle zur Achse und zum Detektor in mm, etwa 100,400</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Pixel</source>
      <translation>Pixel</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Size of a detector pixel in mm, for example 0.05, or 0.05,0.06 for width and height</source>
      <translation>Größe eines Detektorpixels in mm, etwa 0.05, oder 0.05,0.06 für Breite und Höhe</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>First row</source>
      <translation>Erste Zeile</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Position of the first image row</source>
      <translation>Lage der ersten Bildzeile</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Detector column of the rotation axis, counted from 0. Leave blank to find it automatically.</source>
      <translation>Detektorspalte der Drehachse, ab 0 gezählt. Leer: wird automatisch bestimmt.</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>{n_views:,} views of {rows:,} × {columns:,} pixels. These sizes fit the file size.</source>
      <translation>{n_views:,} Ansichten von {rows:,} × {columns:,} Pixeln. Diese Maße passen zur Dateigröße.</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Entered: {value}.</source>
      <translation>Eingegeben: {value}.</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Similarity of neighbouring rows: {percent:.0f} %.</source>
      <translation>Ähnlichkeit benachbarter Zeilen: {percent:.0f} %.</translation>
    </message>
    <message>
      <location filename="app/state/models/import_questions.py" />
      <source>Similarity of neighbouring views: {percent:.0f} %.</source>
      <translation>Ähnlichkeit benachbarter Ansichten: {percent:.0f} %.</translation>
    </message>
    <message>
      <location filename="app/state/models/inputs.py" />
      <source>The scan does not name its scanner; choose one in the card Scan.</source>
      <translation>Der Scan nennt seinen Scanner nicht; wählen Sie einen in der Karte Scan.</translation>
    </message>
    <message>
      <location filename="app/state/models/messages.py" />
      <source>Protocol {name!r} was chosen because it fits this scan; the previous scan used {last!r}.</source>
      <translation>Das Protokoll {name!r} wurde gewählt, weil es zu diesem Scan passt; der vorige Scan verwendete {last!r}.</translation>
    </message>
    <message>
      <location filename="app/state/models/messages.py" />
      <source>Protocol {name!r} is for scans of type {wanted!r}, but the open scan has type {open!r}; open a matching scan first.</source>
      <translation>Das Protokoll {name!r} ist für Scans der Art {wanted!r}, der offene Scan hat aber die Art {open!r}; öffnen Sie zuerst einen passenden Scan.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>There is no normalisation yet. Choose the scans, specify the source and press Start.</source>
      <translation>Es gibt noch keine Normalisierung. Wählen Sie die Scans, geben Sie die Quelle an und drücken Sie Start.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Counting the events of {name} ({number} of {n_scans}).</source>
      <translation>Die Ereignisse von {name} werden gezählt ({number} von {n_scans}).</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Counting the events of {name}.</source>
      <translation>Die Ereignisse von {name} werden gezählt.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Stopping.</source>
      <translation>Wird beendet.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Paused. Continue when the computer is free again.</source>
      <translation>Angehalten. Machen Sie weiter, wenn der Rechner wieder frei ist.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>The measurement will pause after this step.</source>
      <translation>Die Messung hält nach diesem Schritt an.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Starting the measurement.</source>
      <translation>Die Messung wird gestartet.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Stopped. Nothing was saved.</source>
      <translation>Beendet. Nichts wurde gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Step {n_changes}: the largest change is {changes:.2g} standard errors. Convergence is reached at {SMALL:g}.</source>
      <translation>Schritt {n_changes}: Die größte Änderung beträgt {changes:.2g} Standardfehler. Konvergenz ist bei {SMALL:g} erreicht.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>The normalisation of {name} was computed from {count} counts in {steps} steps. Save it to use it.</source>
      <translation>Die Normalisierung von {name} wurde aus {count} Ereignissen in {steps} Schritten berechnet. Speichern Sie sie, um sie zu verwenden.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>No counts on lines through the source yet.</source>
      <translation>Noch keine Ereignisse auf Linien durch die Quelle.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>{count} counts on lines through the source. The crystal efficiencies have a median error of {crystal_error:.2g} %.</source>
      <translation>{count} Ereignisse auf Linien durch die Quelle. Der mediane Fehler der Kristalleffizienzen beträgt {crystal_error:.2g} %.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>supplied with Isocenter</source>
      <translation>mit Isocenter geliefert</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>site protocol</source>
      <translation>Protokoll der Einrichtung</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>own protocol</source>
      <translation>eigenes Protokoll</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>supplied with Isocenter, locked</source>
      <translation>mit Isocenter geliefert, gesperrt</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>site protocol, locked</source>
      <translation>Protokoll der Einrichtung, gesperrt</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>own protocol, locked</source>
      <translation>eigenes Protokoll, gesperrt</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name!r} is supplied with Isocenter and cannot be changed; save it under a new name.</source>
      <translation>{name!r} wird mit Isocenter geliefert und lässt sich nicht ändern; speichern Sie es unter einem neuen Namen.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name!r} is in the read-only site folder; save your own copy.</source>
      <translation>{name!r} liegt im schreibgeschützten Ordner der Einrichtung; speichern Sie eine eigene Kopie.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name!r} is locked; unlock it first.</source>
      <translation>{name!r} ist gesperrt; entsperren Sie es zuerst.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{site}: the site's protocol folder does not exist; choose another folder in the settings.</source>
      <translation>{site}: Den Protokollordner der Einrichtung gibt es nicht; wählen Sie in den Einstellungen einen anderen.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name}: the file was changed outside Isocenter (change: {change}); open it as a file, check its settings and save them as a new protocol.</source>
      <translation>{name}: Die Datei wurde außerhalb von Isocenter geändert (Änderung: {change}); öffnen Sie sie als Datei, prüfen Sie die Einstellungen, und speichern Sie sie als neues Protokoll.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>Choose another name, or rename or delete the existing protocol first.</source>
      <translation>Wählen Sie einen anderen Namen, oder benennen Sie das vorhandene Protokoll zuerst um oder löschen Sie es.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>Isocenter already supplies a protocol named {name!r} (version {revision}).</source>
      <translation>Isocenter liefert schon ein Protokoll namens {name!r} mit (Version {revision}).</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>The site already has a protocol named {name!r} (version {revision}).</source>
      <translation>Der Standort hat schon ein Protokoll namens {name!r} (Version {revision}).</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>You already have a protocol named {name!r} (version {revision}).</source>
      <translation>Sie haben schon ein Protokoll namens {name!r} (Version {revision}).</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>Enter a name for the protocol.</source>
      <translation>Geben Sie einen Namen für das Protokoll ein.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>The protocol is invalid: {fault}.</source>
      <translation>Das Protokoll ist ungültig: {fault}.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name}: the file cannot be deleted ({why}); check its permissions.</source>
      <translation>{name}: Die Datei kann nicht gelöscht werden ({why}); prüfen Sie ihre Zugriffsrechte.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>changed</source>
      <translation>geändert</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>This protocol does not specify a randoms model, so one is chosen automatically.</source>
      <translation>Dieses Protokoll legt kein Modell der Zufallskoinzidenzen fest, daher wird eines automatisch gewählt.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>This protocol does not specify the number of subsets, so it is chosen automatically.</source>
      <translation>Dieses Protokoll legt die Zahl der Subsets nicht fest, daher wird sie automatisch gewählt.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>between iterations: {describe}</source>
      <translation>zwischen den Iterationen: {describe}</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Scans</source>
      <translation>Scans</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Algorithm</source>
      <translation>Algorithmus</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Voxels</source>
      <translation>Voxel</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Finishing</source>
      <translation>Abschluss</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>, then </source>
      <translation>, dann </translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>no filter</source>
      <translation>kein Filter</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>{title}, 1 iteration, subsets fitted to the counts</source>
      <translation>{title}, 1 Iteration, Teilmengen nach der Zahl der Ereignisse</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>{title}, {n} iterations, subsets fitted to the counts</source>
      <translation>{title}, {n} Iterationen, Teilmengen nach der Zahl der Ereignisse</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>{title}, {n} subsets, iterations fitted to the counts</source>
      <translation>{title}, {n} Teilmengen, Iterationen nach der Zahl der Ereignisse</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>{title}, iterations and subsets fitted to the counts</source>
      <translation>{title}, Iterationen und Teilmengen nach der Zahl der Ereignisse</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>{title}, {n} updates, in iterations and subsets fitted to the counts</source>
      <translation>{title}, {n} Aktualisierungen, in Iterationen und Teilmengen nach der Zahl der Ereignisse</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source> and </source>
      <translation> und </translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Changed: {change}</source>
      <translation>Geändert: {change}</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>This protocol has not been saved.</source>
      <translation>Dieses Protokoll wurde nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>voxel size chosen automatically</source>
      <translation>Voxelgröße automatisch gewählt</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Twice the voxel size, for a first look</source>
      <translation>Doppelte Voxelgröße, für einen ersten Blick</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Voxel size from the protocol</source>
      <translation>Voxelgröße aus dem Protokoll</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Two-thirds the voxel size, for high-resolution scans with little noise</source>
      <translation>Zwei Drittel der Voxelgröße, für hochauflösende, rauscharme Scans</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Twice the voxel size and half the iterations, for a first look</source>
      <translation>Doppelte Voxelgröße und halb so viele Iterationen, für einen ersten Blick</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Voxel size and iterations from the protocol</source>
      <translation>Voxelgröße und Iterationen aus dem Protokoll</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Two-thirds the voxel size and twice the iterations, for high-resolution scans with little noise</source>
      <translation>Zwei Drittel der Voxelgröße und doppelt so viele Iterationen, für hochauflösende, rauscharme Scans</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>2 × voxel size</source>
      <translation>2 × Voxelgröße</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>protocol unchanged</source>
      <translation>Protokoll unverändert</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>⅔ voxel size</source>
      <translation>⅔ Voxelgröße</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>2 × voxel size, ½ × iterations</source>
      <translation>2 × Voxelgröße, ½ × Iterationen</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>⅔ voxel size, 2 × iterations</source>
      <translation>⅔ Voxelgröße, 2 × Iterationen</translation>
    </message>
    <message>
      <location filename="app/state/models/queue_model.py" />
      <source>{n} running</source>
      <translation>{n} in Arbeit</translation>
    </message>
    <message>
      <location filename="app/state/models/queue_model.py" />
      <source>{n} waiting</source>
      <translation>{n} wartend</translation>
    </message>
    <message>
      <location filename="app/state/models/queue_model.py" />
      <source>{n} paused</source>
      <translation>{n} angehalten</translation>
    </message>
    <message>
      <location filename="app/state/models/queue_model.py" />
      <source>{n} finished</source>
      <translation>{n} fertig</translation>
    </message>
    <message>
      <location filename="app/state/models/region_model.py" />
      <source>another region is already named {name!r}</source>
      <translation>eine andere ROI heißt schon {name!r}</translation>
    </message>
    <message>
      <location filename="app/state/models/region_model.py" />
      <source>the region contains no voxels of the image; make it larger.</source>
      <translation>die ROI enthält kein Voxel des Bildes; vergrößern Sie sie.</translation>
    </message>
    <message>
      <location filename="app/state/models/result_list.py" />
      <source>1 result</source>
      <translation>1 Ergebnis</translation>
    </message>
    <message>
      <location filename="app/state/models/result_list.py" />
      <source>{n} results</source>
      <translation>{n} Ergebnisse</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>running</source>
      <translation>läuft</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>finished</source>
      <translation>abgeschlossen</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>stopped by the user</source>
      <translation>vom Benutzer beendet</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>1 iteration</source>
      <translation>1 Iteration</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>{n} iterations</source>
      <translation>{n} Iterationen</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>{iterations} × {subsets} subsets</source>
      <translation>{iterations} × {subsets} Teilmengen</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>algorithm not recorded</source>
      <translation>Algorithmus nicht aufgezeichnet</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>{ending} after frame {n} of {of}</source>
      <translation>{ending} nach Zeitabschnitt {n} von {of}</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>{ending} at iteration {n} of at most {of}</source>
      <translation>{ending} bei Iteration {n} von höchstens {of}</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>{ending} at iteration {n} of {of}</source>
      <translation>{ending} bei Iteration {n} von {of}</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>resumed once</source>
      <translation>einmal fortgesetzt</translation>
    </message>
    <message>
      <location filename="app/state/models/run_text.py" />
      <source>resumed {n} times</source>
      <translation>{n}-mal fortgesetzt</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>Used for all scans from {owner} since {day} {day_2:%b %Y}</source>
      <translation>Seit {day}.{day_2:%m.%Y} für alle Scans von {owner} verwendet</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>{name}: the file saved for {owner} was changed or removed; choose and save it again.</source>
      <translation>{name}: Die für {owner} gespeicherte Datei wurde geändert oder entfernt; wählen und speichern Sie sie erneut.</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>{FILE}: the list of files for each scanner cannot be read ({e}) and was moved to {name}; save the files for each scanner again.</source>
      <translation>{FILE}: Die Liste der Dateien für jeden Scanner ist nicht lesbar ({e}) und wurde nach {name} verschoben; speichern Sie die Dateien für jeden Scanner erneut.</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>{folder}: the folder cannot be created ({e}); check the permissions of its parent folder.</source>
      <translation>{folder}: Der Ordner kann nicht angelegt werden ({e}); prüfen Sie die Zugriffsrechte des übergeordneten Ordners.</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>a path or scanner name is not text</source>
      <translation>ein Pfad oder Scannername ist kein Text</translation>
    </message>
    <message>
      <location filename="app/state/models/session.py" />
      <source>Starting the engine</source>
      <translation>Rekonstruktionsprozess startet</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>{path}: these window settings are damaged and could not be moved ({why}). This window uses the defaults. {reason}</source>
      <translation>{path}: Diese Fenstereinstellungen sind beschädigt und konnten nicht verschoben werden ({why}). Dieses Fenster verwendet die Vorgaben. {reason}</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The window settings were damaged and have been reset to the defaults. The damaged file is {name} in {folder}. {reason}</source>
      <translation>Die Fenstereinstellungen waren beschädigt und wurden auf die Vorgaben zurückgesetzt. Die beschädigte Datei ist {name} in {folder}. {reason}</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The file is not a regular file.</source>
      <translation>Die Datei ist keine gewöhnliche Datei.</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The file cannot be read ({why}).</source>
      <translation>Die Datei kann nicht gelesen werden ({why}).</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The file has more than {n:,} bytes.</source>
      <translation>Die Datei hat mehr als {n:,} Bytes.</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The file is not a text file.</source>
      <translation>Die Datei ist keine Textdatei.</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>Line {number} of the file is invalid.</source>
      <translation>Zeile {number} der Datei ist ungültig.</translation>
    </message>
    <message>
      <location filename="app/state/models/study_model.py" />
      <source>{name} is still being read.</source>
      <translation>{name} wird noch gelesen.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Later runs with images of this size will use this variant and record it in their provenance.</source>
      <translation>Spätere Läufe mit Bildern dieser Größe verwenden diese Variante und vermerken sie in ihrer Herkunft.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Later runs will still use the default variant.</source>
      <translation>Spätere Läufe verwenden weiterhin die Standardvariante.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{title}. Device: {device}. Work: {work}.</source>
      <translation>{title}. Gerät: {device}. Aufgabe: {work}.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Do not run other programs during the search; they would distort the comparison.</source>
      <translation>Starten Sie während der Suche keine anderen Programme: Sie würden den Vergleich verfälschen.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Preparing the test data; compiling and running the default variant.</source>
      <translation>Testdaten werden vorbereitet; die Standardvariante wird übersetzt und ausgeführt.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{clock} left.</source>
      <translation>Noch {clock}.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>No variant is measurably faster than the default yet.</source>
      <translation>Noch ist keine Variante messbar schneller als die Standardvariante.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Best so far: {form_text}. Speed relative to the default: {gain_text}.</source>
      <translation>Bisher am besten: {form_text}. Geschwindigkeit im Verhältnis zur Vorgabe: {gain_text}.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>1 variant tried.</source>
      <translation>1 Variante probiert.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{n} variants tried.</source>
      <translation>{n} Varianten probiert.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{faults} failed or gave wrong results.</source>
      <translation>{faults} sind fehlgeschlagen oder lieferten falsche Ergebnisse.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Stopped.</source>
      <translation>Beendet.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The process that reads files could not be started.</source>
      <translation>Der Prozess zum Lesen von Dateien konnte nicht gestartet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The changed settings of {title} were not restored.</source>
      <translation>Die geänderten Einstellungen von {title} wurden nicht wiederhergestellt.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The settings are still stored.</source>
      <translation>Die Einstellungen sind weiterhin gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The settings could not be applied.</source>
      <translation>Die Einstellungen konnten nicht übernommen werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The result is still stored.</source>
      <translation>Das Ergebnis ist weiterhin gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The job cannot be resumed.</source>
      <translation>Der Auftrag kann nicht fortgesetzt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>The job is still stored.</source>
      <translation>Der Auftrag ist noch gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>{name} cannot be saved for the scanner.</source>
      <translation>{name} kann nicht für den Scanner gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>{name!r} was not saved.</source>
      <translation>{name!r} wurde nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>Protocol saved: {version_text}</source>
      <translation>Protokoll gespeichert: {version_text}</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>{name} cannot be saved.</source>
      <translation>{name} kann nicht gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/demo_maker.py" />
      <source>The simulation stopped unexpectedly. The computer may have run out of memory.</source>
      <translation>Die Simulation ist unerwartet abgebrochen. Vielleicht reichte der Speicher nicht.</translation>
    </message>
    <message>
      <location filename="app/state/services/demo_maker.py" />
      <source>Internal error in the simulation: {format_exc}</source>
      <translation>Interner Fehler in der Simulation: {format_exc}</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/alignment_job.py" />
      <source>The scan does not name its scanner; choose one first.</source>
      <translation>Der Scan nennt seinen Scanner nicht; wählen Sie zuerst einen.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/alignment_job.py" />
      <source>The μ-map could not be aligned with the scan.</source>
      <translation>Die μ-Karte konnte nicht am Scan ausgerichtet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/import_job.py" />
      <source>The files could not be read.</source>
      <translation>Die Dateien konnten nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/import_job.py" />
      <source>The description could not be saved.</source>
      <translation>Die Beschreibung konnte nicht gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/import_job.py" />
      <source>The files have changed since this preview, perhaps to the scan of another patient. Open the import again, and check the values.</source>
      <translation>Die Dateien haben sich seit dieser Vorschau geändert und sind vielleicht der Scan eines anderen Patienten. Öffnen Sie den Import erneut, und prüfen Sie die Werte.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/normalising_job.py" />
      <source>The normalisation could not be created.</source>
      <translation>Die Normalisierung konnte nicht erstellt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/sweep_job.py" />
      <source>The candidate slices could not be computed.</source>
      <translation>Die Kandidatenschichten konnten nicht berechnet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/dialog_jobs/tuning_job.py" />
      <source>The kernels could not be tuned.</source>
      <translation>Die Kernel konnten nicht abgestimmt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>The key images could not be read.</source>
      <translation>Die Schlüsselbilder konnten nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>The key images were not saved.</source>
      <translation>Die Schlüsselbilder wurden nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>Only slices and the projection can be added to the report.</source>
      <translation>Nur Schichten und die Projektion können zum Bericht hinzugefügt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>The report shows the image of the run. Show it first.</source>
      <translation>Der Bericht zeigt das Bild des Laufs. Zeigen Sie es zuerst an.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>The report shows the last image of the run. Select it first.</source>
      <translation>Der Bericht zeigt das letzte Bild des Laufs. Wählen Sie es zuerst aus.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>The key images of this result are not read yet.</source>
      <translation>Die Schlüsselbilder dieses Ergebnisses sind noch nicht gelesen.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>A report has at most {n} key images. Remove one first.</source>
      <translation>Ein Bericht hat höchstens {n} Schlüsselbilder. Entfernen Sie zuerst eines.</translation>
    </message>
    <message>
      <location filename="app/state/services/key_images.py" />
      <source>The view was not added.</source>
      <translation>Die Ansicht wurde nicht hinzugefügt.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{lost} could not be opened. This file belongs to it.</source>
      <translation>{lost} konnte nicht geöffnet werden. Diese Datei gehört dazu.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>This file belongs to a scan that was closed; open the scan again.</source>
      <translation>Diese Datei gehört zu einem Scan, der geschlossen wurde; öffnen Sie den Scan noch einmal.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>A file that belongs to this scan was skipped.</source>
      <translation>Eine Datei, die zu diesem Scan gehört, wurde übersprungen.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>A file has changed since this study was saved.</source>
      <translation>Eine Datei hat sich geändert, seit diese Studie gespeichert wurde.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>The scan file has changed since this study was saved.</source>
      <translation>Die Scandatei hat sich geändert, seit diese Studie gespeichert wurde.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{names}: another file has this name now, perhaps of another patient. Check the patient, the dose and all settings before you start.</source>
      <translation>{names}: Unter diesem Namen liegt jetzt eine andere Datei, vielleicht von einem anderen Patienten. Prüfen Sie Patient, Dosis und alle Einstellungen, bevor Sie starten.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{name} stays open.</source>
      <translation>{name} bleibt geöffnet.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{name} was not opened.</source>
      <translation>{name} wurde nicht geöffnet.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Reading was cancelled.</source>
      <translation>Das Lesen wurde abgebrochen.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Choose the scanner or crystal map to open the scan.</source>
      <translation>Wählen Sie den Scanner oder die Kristallkarte, um den Scan zu öffnen.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{what}. Copy the file again, or use only the complete part. Every image will then state that its scan is incomplete.</source>
      <translation>{what}. Kopieren Sie die Datei noch einmal, oder verwenden Sie nur den vollständigen Teil. Jedes Bild vermerkt dann, dass sein Scan unvollständig ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Review the values found in the files and enter the missing ones</source>
      <translation>Die in den Dateien gefundenen Werte prüfen und fehlende ergänzen</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{name} has no description of its data.</source>
      <translation>{name} enthält keine Beschreibung der Daten.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Use the {n_events:,} complete events</source>
      <translation>Die {n_events:,} vollständigen Ereignisse verwenden</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Open the scan without the incomplete record at its end</source>
      <translation>Den Scan ohne den unvollständigen Datensatz am Ende öffnen</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>A reconstruction is running; finish or abort it before changing the study.</source>
      <translation>Eine Rekonstruktion läuft; beenden Sie sie oder brechen Sie sie ab, bevor Sie die Studie ändern.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>The run continues.</source>
      <translation>Der Lauf geht weiter.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening_request.py" />
      <source>{name} cannot be used.</source>
      <translation>{name} kann nicht verwendet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening_request.py" />
      <source>{name} cannot be opened.</source>
      <translation>{name} kann nicht geöffnet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/plane_reader.py" />
      <source>The slices cannot be shown because there is not enough disk space for the projections.</source>
      <translation>Die Schichten können nicht gezeigt werden, weil auf dem Datenträger nicht genug Platz für die Projektionen ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/previews.py" />
      <source>The preview cannot be shown because there is not enough disk space for the projections.</source>
      <translation>Die Vorschau kann nicht gezeigt werden, weil auf dem Datenträger nicht genug Platz für die Projektionen ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/previews.py" />
      <source>The preview failed.</source>
      <translation>Die Vorschau ist fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/state/services/projection_reader.py" />
      <source>There is not enough disk space for the projections; see the notes in the card Scan.</source>
      <translation>Auf dem Datenträger ist nicht genug Platz für die Projektionen; siehe die Hinweise in der Karte Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/projection_reader.py" />
      <source>The projections cannot be shown.</source>
      <translation>Die Projektionen können nicht gezeigt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/batch_reading.py" />
      <source>{name} is not a scan.</source>
      <translation>{name} ist kein Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/batch_reading.py" />
      <source>{what}. The file may be incomplete.</source>
      <translation>{what}. Die Datei ist vielleicht unvollständig.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The study cannot be added to the queue. {obstacle}</source>
      <translation>Die Studie kann nicht in die Warteschlange gestellt werden. {obstacle}</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The study could not be added to the queue.</source>
      <translation>Die Studie konnte nicht in die Warteschlange gestellt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The queue could not be started.</source>
      <translation>Die Warteschlange konnte nicht gestartet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The queue could not be paused.</source>
      <translation>Die Warteschlange konnte nicht angehalten werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The number of parallel studies could not be changed.</source>
      <translation>Die Zahl gleichzeitiger Studien konnte nicht geändert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The study could not be paused.</source>
      <translation>Die Studie konnte nicht angehalten werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The study could not be resumed.</source>
      <translation>Die Studie konnte nicht fortgesetzt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The study could not be retried.</source>
      <translation>Die Studie konnte nicht wiederholt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The study could not be removed.</source>
      <translation>Die Studie konnte nicht entfernt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The queue could not be changed.</source>
      <translation>Die Warteschlange konnte nicht geändert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The order of the studies could not be changed.</source>
      <translation>Die Reihenfolge der Studien konnte nicht geändert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>Added to the queue: {title}.</source>
      <translation>In der Warteschlange: {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>Queued study finished: {title}.</source>
      <translation>Studie der Warteschlange fertig: {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>Queued study failed: {title}.</source>
      <translation>Studie der Warteschlange fehlgeschlagen: {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_commands.py" />
      <source>The queue continues.</source>
      <translation>Die Warteschlange läuft weiter.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_intake.py" />
      <source>Searching for scans …</source>
      <translation>Scans werden gesucht …</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_intake.py" />
      <source>Some files were not added to the queue.</source>
      <translation>Einige Dateien kamen nicht in die Warteschlange.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_intake.py" />
      <source>They contain no scan.</source>
      <translation>Sie enthalten keinen Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queue_intake.py" />
      <source>{name} could not be added to the queue.</source>
      <translation>{name} konnte nicht in die Warteschlange gestellt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queued_study.py" />
      <source>The protocol {name!r} is not approved.</source>
      <translation>Das Protokoll {name!r} ist nicht freigegeben.</translation>
    </message>
    <message>
      <location filename="app/state/services/queueing/queued_study.py" />
      <source>{name}: another file has this name since the study was saved, perhaps of another patient.</source>
      <translation>{name}: Unter diesem Namen liegt eine andere Datei als beim Speichern der Studie, vielleicht von einem anderen Patienten.</translation>
    </message>
    <message>
      <location filename="app/state/services/raw_projections.py" />
      <source>The data may be X-ray projections. Import them and enter the missing information.</source>
      <translation>Die Daten könnten Röntgenprojektionen sein. Importieren Sie sie, und geben Sie die fehlenden Angaben ein.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>This file describes a scanner and contains no scan.</source>
      <translation>Diese Datei beschreibt einen Scanner und enthält keinen Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>This file is an input of another modality, not a scan.</source>
      <translation>Diese Datei ist eine Eingabe einer anderen Modalität, kein Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>This file is an image volume, not a scan.</source>
      <translation>Diese Datei ist ein Bildvolumen, kein Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>This file is a protocol, not a scan.</source>
      <translation>Diese Datei ist ein Protokoll, kein Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>This file is not a scan.</source>
      <translation>Diese Datei ist kein Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: {sentence} Choose a scan, or drop the file on the window to open it.</source>
      <translation>{name}: {sentence} Wählen Sie einen Scan, oder ziehen Sie die Datei auf das Fenster, um sie zu öffnen.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{role}: no scan is open; first open the scan that this file belongs to.</source>
      <translation>{role}: Kein Scan ist offen; öffnen Sie zuerst den Scan, zu dem diese Datei gehört.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>A study of type {title} does not use this input: {role}.</source>
      <translation>Eine Studie der Art {title} verwendet diese Eingabe nicht: {role}.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: an earlier version of Isocenter saved the settings. It did not notice that other files contain values of this scan, so these values may be of another patient by now. Check the patient, and open the scan with its own settings.</source>
      <translation>{name}: Eine frühere Version von Isocenter hat die Einstellungen gespeichert. Sie hat nicht bemerkt, dass andere Dateien Werte dieses Scans enthalten. Diese Werte könnten inzwischen zu einem anderen Patienten gehören. Prüfen Sie den Patienten, und öffnen Sie den Scan mit eigenen Einstellungen.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: this is not the file that the settings are for (fingerprint {found}, expected {expected}), and it may belong to another patient. Restore that file, or open the scan with its own settings.</source>
      <translation>{name}: Die Einstellungen gelten für eine andere Datei (Fingerabdruck {found}, erwartet {expected}), und diese gehört vielleicht zu einem anderen Patienten. Stellen Sie die ursprüngliche Datei wieder her, oder öffnen Sie den Scan mit seinen eigenen Einstellungen.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: the scan does not name its scanner; choose one in the card Scan first.</source>
      <translation>{name}: Der Scan nennt seinen Scanner nicht; wählen Sie ihn zuerst in der Karte Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: this tracer file was filled in for a different scan than {scan}; fill in a tracer file for this scan.</source>
      <translation>{name}: Diese Tracerdatei wurde für einen anderen Scan als {scan} ausgefüllt. Füllen Sie eine Tracerdatei für diesen Scan aus.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result cannot be opened.</source>
      <translation>Das Ergebnis kann nicht geöffnet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>Reading the result for {scan}</source>
      <translation>Das Ergebnis für {scan} wird gelesen</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result could not be deleted.</source>
      <translation>Das Ergebnis konnte nicht gelöscht werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The patient details could not be added to the result.</source>
      <translation>Die Patientendaten konnten dem Ergebnis nicht hinzugefügt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>A reconstruction is running. Wait for it to end, or stop it with Finish or Abort.</source>
      <translation>Eine Rekonstruktion läuft. Warten Sie, bis sie endet, beenden Sie sie vorzeitig oder brechen Sie sie ab.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result could not be changed.</source>
      <translation>Das Ergebnis konnte nicht geändert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>Result deleted: {title}.</source>
      <translation>Ergebnis gelöscht: {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result for {scan} is not shown, because another image was opened meanwhile.</source>
      <translation>Das Ergebnis für {scan} wird nicht angezeigt, weil inzwischen ein anderes Bild geöffnet wurde.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>Result from {created:%d %b %Y %H:%M}.</source>
      <translation>Ergebnis vom {created:%d.%m.%Y %H:%M}.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Aborted.</source>
      <translation>Abgebrochen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The last image could not be saved to the results; export it before you continue.</source>
      <translation>Das letzte Bild konnte nicht bei den Ergebnissen gespeichert werden; exportieren Sie es, bevor Sie weitermachen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The reconstruction cannot start. {obstacle}</source>
      <translation>Die Rekonstruktion kann nicht starten. {obstacle}</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The run will finish after this iteration.</source>
      <translation>Der Lauf endet nach dieser Iteration.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Aborting.</source>
      <translation>Wird abgebrochen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The reconstruction cannot start.</source>
      <translation>Die Rekonstruktion kann nicht starten.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The reconstruction stopped.</source>
      <translation>Die Rekonstruktion hat angehalten.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The engine stopped unexpectedly.</source>
      <translation>Der Rekonstruktionsprozess wurde unerwartet beendet.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The run on the GPU stopped.</source>
      <translation>Der Lauf auf der GPU hat angehalten.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Continue on the CPU</source>
      <translation>Auf der CPU weiter</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Start on the CPU</source>
      <translation>Auf der CPU starten</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>Replace</source>
      <translation>Ersetzen</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>Not saved</source>
      <translation>Nicht gespeichert</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>Replace existing files</source>
      <translation>Vorhandene Dateien ersetzen</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>These files already exist in {folder}:

{listed}

Do you want to replace them?</source>
      <translation>Diese Dateien gibt es schon in {folder}:

{listed}

Möchten Sie sie ersetzen?</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>This file already exists in {folder}:

{listed}

Do you want to replace it?</source>
      <translation>Diese Datei gibt es schon in {folder}:

{listed}

Möchten Sie sie ersetzen?</translation>
    </message>
    <message>
      <location filename="app/state/services/scan_regions.py" />
      <source>{name}: the study was saved without its regions, because this file cannot be read and must not be overwritten; save the study under another name. Reason: {fault}</source>
      <translation>{name}: Die Studie wurde ohne ihre Regionen gespeichert, weil diese Datei nicht lesbar ist und nicht überschrieben werden darf. Speichern Sie die Studie unter einem anderen Namen. Grund: {fault}</translation>
    </message>
    <message>
      <location filename="app/state/services/scan_regions.py" />
      <source>{name}: the study was saved without its regions, because this file contains regions from another scan; save the study under another name.</source>
      <translation>{name}: Die Studie wurde ohne ihre ROIs gespeichert, weil diese Datei ROIs eines anderen Scans enthält; speichern Sie die Studie unter einem anderen Namen.</translation>
    </message>
    <message>
      <location filename="app/state/services/scan_regions.py" />
      <source>Regions saved: {path}</source>
      <translation>ROIs gespeichert: {path}</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_reader.py" />
      <source>The slices could not be reconstructed.</source>
      <translation>Die Schichten konnten nicht rekonstruiert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Slices (*.nii.gz *.mha *.tif)</source>
      <translation>Schichten (*.nii.gz *.mha *.tif)</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Save slices</source>
      <translation>Schichten speichern</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>The slices could not be saved.</source>
      <translation>Die Schichten konnten nicht gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Slices saved: {value}</source>
      <translation>Schichten gespeichert: {value}</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Saving the slices</source>
      <translation>Schichten werden gespeichert</translation>
    </message>
    <message>
      <location filename="app/state/services/threads.py" />
      <source>The engine could not be started ({name}: {e}); please report this error.</source>
      <translation>Der Rekonstruktionsprozess konnte nicht gestartet werden ({name}: {e}); bitte melden Sie diesen Fehler.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>The program cannot check the scan of these settings.</source>
      <translation>Das Programm kann den Scan dieser Einstellungen nicht prüfen.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>An earlier version stored the settings of {title} without a fingerprint of the scan. {name} may be the file of another patient now. Compare the patient and the dose after you open it.</source>
      <translation>Eine frühere Version hat die Einstellungen von {title} ohne Fingerabdruck des Scans gespeichert. {name} kann jetzt die Datei eines anderen Patienten sein. Vergleichen Sie nach dem Öffnen Patient und Dosis.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Open {title} with the changed settings</source>
      <translation>{title} mit den geänderten Einstellungen öffnen</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Open anyway</source>
      <translation>Trotzdem öffnen</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>The changed settings of {title} never ran.</source>
      <translation>Mit den geänderten Einstellungen von {title} wurde nicht gerechnet.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>The program has stored them. To restore them, open this scan again, or choose Reopen here or on the start page.</source>
      <translation>Sie sind gespeichert. Um sie wiederherzustellen, öffnen Sie diesen Scan erneut, oder wählen Sie „Wieder öffnen“ hier oder auf der Startseite.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Reopen</source>
      <translation>Wieder öffnen</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>This scan has changed settings that never ran.</source>
      <translation>Zu diesem Scan gibt es geänderte Einstellungen, mit denen nicht gerechnet wurde.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>They were changed on {changed:%d %b %H:%M}. The scan was opened with the settings of its protocol instead.</source>
      <translation>Sie wurden am {changed:%d.%m. %H:%M} geändert. Der Scan wurde stattdessen mit den Einstellungen seines Protokolls geöffnet.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Use the changed settings</source>
      <translation>Geänderte Einstellungen verwenden</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Stored settings belong to another scan.</source>
      <translation>Gespeicherte Einstellungen gehören zu einem anderen Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>{name} was another scan on {changed:%d %b %H:%M}, when its settings were changed. They are not offered for this scan, and are still on the start page.</source>
      <translation>{name} war am {changed:%d.%m. %H:%M} ein anderer Scan, als seine Einstellungen geändert wurden. Sie werden für diesen Scan nicht angeboten und stehen weiterhin auf der Startseite.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Stored settings may belong to another scan.</source>
      <translation>Gespeicherte Einstellungen gehören vielleicht zu einem anderen Scan.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>Settings for {name} were changed on {changed:%d %b %H:%M}. The program cannot check that it was the same scan, so they are only on the start page.</source>
      <translation>Am {changed:%d.%m. %H:%M} wurden Einstellungen für {name} geändert. Das Programm kann nicht prüfen, ob es derselbe Scan war. Sie stehen daher nur auf der Startseite.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished/edited_studies.py" />
      <source>The program stores at most {n} changed studies. It has deleted the settings of {title} from {changed:%d %b %H:%M}.</source>
      <translation>Das Programm speichert höchstens {n} geänderte Studien. Es hat die Einstellungen von {title} vom {changed:%d.%m. %H:%M} gelöscht.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished_work.py" />
      <source>The unfinished work of earlier windows could not be read.</source>
      <translation>Die unfertige Arbeit früherer Fenster konnte nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished_work.py" />
      <source>Unfinished work of an earlier window could not be read.</source>
      <translation>Unfertige Arbeit eines früheren Fensters konnte nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished_work.py" />
      <source>The last window ended before it had read all scans for the queue. This window reads them now.</source>
      <translation>Das letzte Fenster wurde beendet, bevor es alle Scans für die Warteschlange gelesen hatte. Dieses Fenster liest sie jetzt.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished_work.py" />
      <source>The queue gets more scans.</source>
      <translation>Die Warteschlange erhält weitere Scans.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished_work.py" />
      <source>The last window ended before the archive had accepted {title}. Send or discard it on the start page.</source>
      <translation>Das letzte Fenster wurde beendet, bevor das Archiv {title} angenommen hatte. Senden oder verwerfen Sie es auf der Startseite.</translation>
    </message>
    <message>
      <location filename="app/state/services/unfinished_work.py" />
      <source>A signed result was not sent.</source>
      <translation>Ein freigegebenes Ergebnis wurde nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>Result for {scan}</source>
      <translation>Ergebnis für {scan}</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>{what}: this image is not shown, because another scan is open.</source>
      <translation>{what}: Dieses Bild wird nicht gezeigt, weil ein anderer Scan geöffnet ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>{what}: this image is not shown, because another image was opened.</source>
      <translation>{what}: Dieses Bild wird nicht gezeigt, weil ein anderes Bild geöffnet wurde.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>Reading: {what}</source>
      <translation>Wird gelesen: {what}</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>The volume cannot be shown.</source>
      <translation>Das Volumen kann nicht gezeigt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>Computing the error of the image</source>
      <translation>Der Fehler des Bildes wird berechnet</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>The error of the image cannot be shown.</source>
      <translation>Der Fehler des Bildes kann nicht angezeigt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>Computing the error of the difference</source>
      <translation>Der Fehler der Differenz wird berechnet</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>The error of the difference cannot be computed.</source>
      <translation>Der Fehler der Differenz kann nicht berechnet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/written_frames.py" />
      <source>only {n} of {expected} frames are in memory; export a single frame, or write all frames with `isocenter export FILE OUT`.</source>
      <translation>nur {n} von {expected} Zeitbildern sind im Speicher; exportieren Sie ein einzelnes Zeitbild, oder schreiben Sie alle mit `isocenter export FILE OUT`.</translation>
    </message>
    <message>
      <location filename="app/ui/forms/choices.py" />
      <source>Add filter</source>
      <translation>Filter hinzufügen</translation>
    </message>
    <message>
      <location filename="app/ui/forms/choices.py" />
      <source>Add</source>
      <translation>Hinzufügen</translation>
    </message>
    <message>
      <location filename="app/ui/forms/choices.py" />
      <source>Earlier</source>
      <translation>Früher</translation>
    </message>
    <message>
      <location filename="app/ui/forms/choices.py" />
      <source>Later</source>
      <translation>Später</translation>
    </message>
    <message>
      <location filename="app/ui/forms/choices.py" />
      <source>Add an entry at the end of the list</source>
      <translation>Am Ende der Liste einen Eintrag hinzufügen</translation>
    </message>
    <message>
      <location filename="app/ui/forms/field_facts.py" />
      <source>Must be a number</source>
      <translation>Muss eine Zahl sein</translation>
    </message>
    <message>
      <location filename="app/ui/forms/field_facts.py" />
      <source>{problem}. You entered {given!r}.</source>
      <translation>{problem}. Eingegeben: {given!r}.</translation>
    </message>
    <message>
      <location filename="app/ui/forms/text_editors.py" />
      <source>Date and time, for example 2026-11-22 11:00. Add a time zone such as +01:00 at the end.</source>
      <translation>Datum und Uhrzeit, zum Beispiel 2026-11-22 11:00. Fügen Sie am Ende eine Zeitzone wie +01:00 hinzu.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/file_dialogs.py" />
      <source>Folder</source>
      <translation>Ordner</translation>
    </message>
    <message>
      <location filename="app/ui/theme/file_dialogs.py" />
      <source>File name</source>
      <translation>Dateiname</translation>
    </message>
    <message>
      <location filename="app/ui/theme/file_dialogs.py" />
      <source>File type</source>
      <translation>Dateityp</translation>
    </message>
    <message>
      <location filename="app/ui/theme/file_dialogs.py" />
      <source>Files</source>
      <translation>Dateien</translation>
    </message>
    <message>
      <location filename="app/ui/theme/file_dialogs.py" />
      <source>Places</source>
      <translation>Orte</translation>
    </message>
    <message>
      <location filename="app/ui/theme/formatting.py" />
      <source>{hours} h {minutes:02d} min</source>
      <translation>{hours} h {minutes:02d} min</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Adjoint check</source>
      <translation>Adjungiertenprüfung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A one-time check that back projection is the exact transpose of forward projection.</source>
      <translation>Eine einmalige Prüfung, ob die Rückprojektion genau die Transponierte der Vorwärtsprojektion ist.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Attenuation</source>
      <translation>Schwächung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Loss of photons by absorption and scatter in the patient. The μ-map contains the attenuation coefficient at each point.</source>
      <translation>Verlust von Photonen durch Absorption und Streuung im Patienten. Die μ-Karte enthält den Schwächungskoeffizienten an jedem Punkt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Background variability</source>
      <translation>Schwankung des Hintergrunds</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>NEMA measure of noise: the standard deviation across background regions of equal size, as a percentage of their mean.</source>
      <translation>Rauschmaß der NEMA: die Standardabweichung zwischen gleich großen Regionen des Hintergrunds, in Prozent ihres Mittelwerts.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Bad pixels</source>
      <translation>Schlechte Pixel</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Detector pixels that are dead or too bright. They are replaced by the median of their neighbours.</source>
      <translation>Detektorpixel, die tot oder zu hell sind. Sie werden durch den Median ihrer Nachbarn ersetzt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Beam hardening</source>
      <translation>Strahlaufhärtung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Low-energy X-rays are absorbed first, so the centre of a thick object appears too dark.</source>
      <translation>Energiearme Röntgenstrahlung wird zuerst absorbiert. Deshalb erscheint die Mitte eines dicken Objekts zu dunkel.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Binning</source>
      <translation>Zusammenfassen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Averaging of neighbouring pixels or views. It reduces noise, detail and computing time.</source>
      <translation>Die Mittelung benachbarter Pixel oder Ansichten. Sie verringert Rauschen, Details und Rechenzeit.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Block</source>
      <translation>Block</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A group of crystals with a shared readout.</source>
      <translation>Eine Gruppe von Kristallen mit gemeinsamer Auslese.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Block edges</source>
      <translation>Blockränder</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Crystals at the edge of a block or panel record fewer counts, because some photons scatter out.</source>
      <translation>Kristalle am Rand eines Blocks oder Panels zeichnen weniger Ereignisse auf, weil ein Teil der Photonen hinausgestreut wird.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Calibration</source>
      <translation>Kalibrierung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The factor that converts counts/mm to Bq/mL. It is measured with a known activity.</source>
      <translation>Der Faktor, der counts/mm in Bq/mL umrechnet. Er wird mit einer bekannten Aktivität gemessen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Centre of rotation</source>
      <translation>Drehzentrum</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The detector column onto which the rotation axis is projected. With a wrong value, edges appear double.</source>
      <translation>Die Detektorspalte, auf die die Drehachse projiziert wird. Mit einem falschen Wert erscheinen Kanten doppelt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Checkpoint</source>
      <translation>Sicherungspunkt</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The saved state of a run. The run can be resumed from it later.</source>
      <translation>Der gespeicherte Zustand eines Laufs. Der Lauf kann später von dort fortgesetzt werden.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The standard deviation divided by the mean. In a uniform region, it is a measure of noise.</source>
      <translation>Die Standardabweichung geteilt durch den Mittelwert. In einer gleichmäßigen Region ist sie ein Maß für das Rauschen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Compiling</source>
      <translation>Übersetzen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The program code is compiled for this computer. The result is stored for later runs.</source>
      <translation>Der Programmcode wird für diesen Rechner übersetzt. Das Ergebnis wird für spätere Läufe gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The mean of the region minus the mean of its background, as a percentage of the background mean.</source>
      <translation>Der Mittelwert der Region minus der Mittelwert ihres Hintergrunds, in Prozent des Hintergrundmittelwerts.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Contrast recovery</source>
      <translation>Kontrastwiedergabe</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The measured contrast of a sphere as a percentage of its true contrast. Small spheres lose contrast because of the limited resolution.</source>
      <translation>Der gemessene Kontrast einer Kugel in Prozent ihres wahren Kontrasts. Kleine Kugeln verlieren Kontrast durch die begrenzte Auflösung.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The mean of the region minus the mean of its background, divided by the standard deviation of the background.</source>
      <translation>Der Mittelwert der Region minus der Mittelwert ihres Hintergrunds, geteilt durch die Standardabweichung des Hintergrunds.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Crop</source>
      <translation>Beschneiden</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Only some rows or columns of the detector are used.</source>
      <translation>Nur einige Zeilen oder Spalten des Detektors werden verwendet.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>CT number</source>
      <translation>CT-Zahl</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Attenuation in Hounsfield units (HU): water is 0 and air is -1000.</source>
      <translation>Schwächung in Hounsfield-Einheiten (HU): Wasser ist 0 und Luft ist -1000.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Dark and flat field</source>
      <translation>Dunkel- und Hellbild</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Dark fields are images with the beam off. Flat fields are images with the beam on and no object. Both are used to remove the fixed pattern of the detector.</source>
      <translation>Dunkelbilder werden bei ausgeschaltetem Strahl aufgenommen, Hellbilder mit Strahl und ohne Objekt. Mit beiden wird das feste Muster des Detektors entfernt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Dead time</source>
      <translation>Totzeit</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The time during which the scanner processes an event and cannot record others. It lowers the measured activity.</source>
      <translation>Die Zeit, in der der Scanner ein Ereignis verarbeitet und keine anderen aufzeichnen kann. Sie verringert die gemessene Aktivität.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Delayeds</source>
      <translation>Verzögerte</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences recorded with an artificial delay. All of them are random, so they are used to estimate the randoms.</source>
      <translation>Koinzidenzen, die mit einer künstlichen Verzögerung aufgezeichnet werden. Alle sind zufällig und dienen deshalb der Schätzung der Zufallskoinzidenzen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Detector roll</source>
      <translation>Rollwinkel des Detektors</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A small rotation of the detector in its own plane. If it is not corrected, edges above and below the central row appear double.</source>
      <translation>Eine kleine Drehung des Detektors in seiner Ebene. Ohne Korrektur erscheinen Kanten über und unter der mittleren Zeile doppelt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Error map</source>
      <translation>Fehlerkarte</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Replicates of the scan with new noise are reconstructed. Their spread is the error of each voxel.</source>
      <translation>Wiederholungen des Scans mit neuem Rauschen werden rekonstruiert. Ihre Streuung ist der Fehler jedes Voxels.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Event</source>
      <translation>Ereignis</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>One recorded coincidence of two photons.</source>
      <translation>Eine aufgezeichnete Koinzidenz zweier Photonen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Filtered back projection</source>
      <translation>Gefilterte Rückprojektion</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Direct CT reconstruction: each projection is filtered and back-projected. FDK is the version for cone beams.</source>
      <translation>Direkte CT-Rekonstruktion: Jede Projektion wird gefiltert und zurückprojiziert. FDK ist die Variante für Kegelstrahlen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The final filters are applied, and the image values are converted to the output unit.</source>
      <translation>Die abschließenden Filter werden angewendet, und die Bildwerte werden in die Ausgabeeinheit umgerechnet.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A time interval of the scan that is reconstructed as a separate image.</source>
      <translation>Ein Zeitabschnitt des Scans, der als eigenes Bild rekonstruiert wird.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Frequency of</source>
      <translation>Frequenz von</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The spatial frequency at which this percentage of the contrast remains.</source>
      <translation>Die Ortsfrequenz, bei der dieser Prozentsatz des Kontrasts übrig bleibt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>FWHM</source>
      <translation>FWHM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Full width at half maximum: the width of a point source in the image at half its peak value. A smaller value means a sharper image.</source>
      <translation>Halbwertsbreite: die Breite einer Punktquelle im Bild bei halbem Höchstwert. Ein kleinerer Wert bedeutet ein schärferes Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>FWTM</source>
      <translation>FWTM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Full width at tenth maximum: the width of a point source in the image at a tenth of its peak value. It describes the tails.</source>
      <translation>Zehntelwertsbreite: die Breite einer Punktquelle im Bild bei einem Zehntel des Höchstwerts. Sie beschreibt die Ausläufer.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Gate</source>
      <translation>Gate</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A phase of the cardiac or respiratory cycle that is reconstructed as a separate image.</source>
      <translation>Eine Phase des Herz- oder Atemzyklus, die als eigenes Bild rekonstruiert wird.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Half fan</source>
      <translation>Halbfächer</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A detector that is offset sideways and covers only about half of the object in each view.</source>
      <translation>Ein seitlich versetzter Detektor, der in jeder Ansicht nur etwa die Hälfte des Objekts erfasst.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>One pass over all data (MAP: three passes). With MLEM and OSEM, more iterations give a sharper and noisier image.</source>
      <translation>Ein Durchlauf durch alle Daten (MAP: drei Durchläufe). Mit MLEM und OSEM geben mehr Iterationen ein schärferes und stärker verrauschtes Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The largest change in any block of 4 × 4 × 4 voxels during the last iteration, relative to the typical activity. It tends to 0 at the optimum.</source>
      <translation>Die größte Änderung in einem Block von 4 × 4 × 4 Voxeln während der letzten Iteration, bezogen auf die typische Aktivität. Am Optimum geht sie gegen 0.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Level</source>
      <translation>Höhe</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The mean image value compared with the true value in the phantom.</source>
      <translation>Der Mittelwert des Bildes, verglichen mit dem wahren Wert im Phantom.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Line geometry</source>
      <translation>Liniengeometrie</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The geometric efficiency of a line of response, calculated from the distance, tilt and depth of its two crystals.</source>
      <translation>Die geometrische Empfindlichkeit einer Antwortlinie, berechnet aus Abstand, Neigung und Tiefe ihrer beiden Kristalle.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Line of response</source>
      <translation>Antwortlinie</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The line between the two crystals of a coincidence (LOR).</source>
      <translation>Die Linie zwischen den beiden Kristallen einer Koinzidenz (LOR).</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>List mode</source>
      <translation>List-Mode</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A record of every event in the order of detection.</source>
      <translation>Die Aufzeichnung jedes Ereignisses in der Reihenfolge der Messung.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A measure of how well the image explains the measured events. It rises and then levels off. Further iterations add more noise than detail.</source>
      <translation>Ein Maß dafür, wie gut das Bild die gemessenen Ereignisse erklärt. Es steigt und flacht dann ab. Weitere Iterationen bringen mehr Rauschen als Details.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Logarithm</source>
      <translation>Logarithmus</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The transmission is converted to the line integral of the attenuation along each ray.</source>
      <translation>Die Transmission wird in das Linienintegral der Schwächung entlang jedes Strahls umgerechnet.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Lung residual error</source>
      <translation>Restfehler in der Lunge (lung residual error)</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The mean signal in the lung insert, as a percentage of the background. The insert contains no activity, so any signal is an error of the scatter or attenuation correction.</source>
      <translation>Das mittlere Signal im Lungeneinsatz, in Prozent des Hintergrunds. Der Einsatz enthält keine Aktivität, also ist jedes Signal ein Fehler der Streu- oder Schwächungskorrektur.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>MAP</source>
      <translation>MAP</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Penalised PET reconstruction (maximum a posteriori). A prior limits the noise. The run stops by itself at an image that does not depend on the number of iterations or subsets.</source>
      <translation>PET-Rekonstruktion mit Strafterm (Maximum a posteriori). Ein Prior begrenzt das Rauschen. Die Rekonstruktion endet von selbst bei einem Bild, das nicht von der Zahl der Iterationen oder Teilmengen abhängt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>MLEM</source>
      <translation>MLEM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Iterative PET reconstruction that uses all data in each update. It is the same as OSEM with one subset.</source>
      <translation>Iterative PET-Rekonstruktion, die in jeder Aktualisierung alle Daten verwendet. Sie entspricht OSEM mit einer Teilmenge.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Modulation transfer</source>
      <translation>Modulationsübertragung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The fraction of contrast that the image preserves at each spatial frequency (MTF).</source>
      <translation>Der Anteil des Kontrasts, den das Bild bei jeder Ortsfrequenz erhält (MTF).</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>μ-map</source>
      <translation>μ-Karte</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>An image of the linear attenuation coefficients at 511 keV.</source>
      <translation>Ein Bild der linearen Schwächungskoeffizienten bei 511 keV.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Noise power</source>
      <translation>Rauschleistung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The noise power at each spatial frequency (NPS). It shows whether the noise is fine or coarse.</source>
      <translation>Die Rauschleistung bei jeder Ortsfrequenz (NPS). Sie zeigt, ob das Rauschen fein oder grob ist.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Normalisation</source>
      <translation>Normalisierung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Correction for differences in efficiency between crystals and between lines of response. Without it, rings and stripes appear.</source>
      <translation>Korrektur der unterschiedlichen Empfindlichkeiten von Kristallen und Antwortlinien. Ohne sie erscheinen Ringe und Streifen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>OSEM</source>
      <translation>OSEM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Iterative PET reconstruction that uses one subset of the data in each update. It is faster than MLEM.</source>
      <translation>Iterative PET-Rekonstruktion, die in jeder Aktualisierung eine Teilmenge der Daten verwendet. Sie ist schneller als MLEM.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The highest mean value in any 1 mL sphere of the region. It is less noisy than the maximum.</source>
      <translation>Der höchste Mittelwert in einer Kugel von 1 mL innerhalb der Region. Er ist weniger verrauscht als das Maximum.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A measure of how well the image explains the measured events, minus a penalty for noise. It rises and then levels off at the optimum.</source>
      <translation>Ein Maß dafür, wie gut das Bild die gemessenen Ereignisse erklärt, abzüglich eines Strafterms für Rauschen. Es steigt und bleibt am Optimum konstant.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Preparation</source>
      <translation>Vorbereitung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The projections are corrected before the reconstruction.</source>
      <translation>Die Projektionen werden vor der Rekonstruktion korrigiert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>All recorded coincidences: trues, scatter and randoms.</source>
      <translation>Alle aufgezeichneten Koinzidenzen: wahre, gestreute und zufällige.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Saved reconstruction settings: voxels, corrections, algorithm and filters.</source>
      <translation>Gespeicherte Einstellungen einer Rekonstruktion: Voxel, Korrekturen, Algorithmus und Filter.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Provenance</source>
      <translation>Herkunft</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The record of how an image was created: files, settings and program versions. It is stored with the image.</source>
      <translation>Die Aufzeichnung, wie ein Bild entstanden ist: Dateien, Einstellungen und Programmversionen. Sie wird mit dem Bild gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Pseudonym</source>
      <translation>Pseudonym</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A code, such as study-1a2b3c4d, that replaces a name in files.</source>
      <translation>Ein Kürzel wie study-1a2b3c4d, das in Dateien einen Namen ersetzt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences of two photons from different decays. They add a background to the image.</source>
      <translation>Koinzidenzen zweier Photonen aus verschiedenen Zerfällen. Sie fügen dem Bild einen Untergrund hinzu.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Read</source>
      <translation>Lesen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The scan is read from disk.</source>
      <translation>Der Scan wird vom Datenträger gelesen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Reconstruction</source>
      <translation>Rekonstruktion</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The image is computed from the projections.</source>
      <translation>Das Bild wird aus den Projektionen berechnet.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A volume of interest (VOI) in which image values are measured.</source>
      <translation>Ein Teilvolumen (VOI), in dem Bildwerte gemessen werden.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The part of the measurement that the image does not explain. It falls and then levels off.</source>
      <translation>Der Teil der Messung, den das Bild nicht erklärt. Er fällt und flacht dann ab.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Resolution</source>
      <translation>Auflösung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The point spread function of the scanner, included in the model. Small objects regain contrast, and edges become sharper. Without a filter, edges are slightly too bright.</source>
      <translation>Die Punktantwort des Scanners als Teil des Modells. Kleine Objekte gewinnen Kontrast zurück, und Kanten werden schärfer. Ohne Filter sind Kanten etwas zu hell.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Response</source>
      <translation>Systemantwort</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The probability that a pair of crystals detects a decay in a voxel. It is computed once for all pairs and voxels and then stored.</source>
      <translation>Die Wahrscheinlichkeit, dass ein Kristallpaar einen Zerfall in einem Voxel nachweist. Sie wird einmal für alle Paare und Voxel berechnet und dann gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Rings</source>
      <translation>Ringe</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Circular artefacts around the rotation axis. They are caused by detector pixels with a slightly wrong sensitivity.</source>
      <translation>Kreisförmige Artefakte um die Drehachse. Sie entstehen durch Detektorpixel mit leicht falscher Empfindlichkeit.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Rotation axis</source>
      <translation>Drehachse</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The line around which the source or the object rotates.</source>
      <translation>Die Linie, um die sich die Quelle oder das Objekt dreht.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Scatter</source>
      <translation>Streuung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences in which at least one photon was scattered in the patient. They add a haze, mostly in the centre.</source>
      <translation>Koinzidenzen, bei denen mindestens ein Photon im Patienten gestreut wurde. Sie legen einen Schleier über das Bild, vor allem in der Mitte.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Sensitivity</source>
      <translation>Sensitivität</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The detection efficiency of the scanner for each voxel. It is stored on disk for later runs.</source>
      <translation>Die Nachweisempfindlichkeit des Scanners für jedes Voxel. Sie wird für spätere Läufe auf dem Datenträger gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Short scan</source>
      <translation>Kurzscan</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A scan over less than a full rotation. Only some of the rays are measured twice.</source>
      <translation>Ein Scan über weniger als eine ganze Umdrehung. Nur ein Teil der Strahlen wird zweimal gemessen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Sinogram</source>
      <translation>Sinogramm</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Counts sorted by the angle and the radial distance of their lines of response.</source>
      <translation>Zählwerte, geordnet nach Winkel und radialem Abstand ihrer Antwortlinien.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Spill-over</source>
      <translation>Überstrahlung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The signal in a region without activity, as a percentage of the background.</source>
      <translation>Das Signal in einer Region ohne Aktivität, in Prozent des Hintergrunds.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Spread of voxels</source>
      <translation>Streuung der Voxel</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The standard deviation of the voxel values in a uniform region. It is a measure of noise.</source>
      <translation>Die Standardabweichung der Voxelwerte in einer gleichmäßigen Region. Sie ist ein Maß für das Rauschen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The spread of the voxel values around their mean. In a uniform region, it is a measure of noise.</source>
      <translation>Die Streuung der Voxelwerte um ihren Mittelwert. In einer gleichmäßigen Region ist sie ein Maß für das Rauschen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Study</source>
      <translation>Studie</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>One scan with its inputs and its protocol.</source>
      <translation>Ein Scan mit seinen Eingaben und seinem Protokoll.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A part of the data. Each update uses one subset, and an iteration uses all of them.</source>
      <translation>Ein Teil der Daten. Jede Aktualisierung verwendet eine Teilmenge, eine Iteration verwendet alle.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>SUV</source>
      <translation>SUV</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Standardised uptake value: the activity concentration divided by the injected dose per gram of body weight. A uniform distribution gives 1.</source>
      <translation>Standardisierter Aufnahmewert: die Aktivitätskonzentration, geteilt durch die injizierte Dosis je Gramm Körpergewicht. Eine gleichmäßige Verteilung ergibt 1.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Time of flight</source>
      <translation>Flugzeit (TOF)</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The difference between the arrival times of the two photons. It shows roughly where on the line of response the decay took place.</source>
      <translation>Der Unterschied der Ankunftszeiten beider Photonen. Er zeigt ungefähr, wo auf der Antwortlinie der Zerfall stattfand.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Trues</source>
      <translation>Wahre Koinzidenzen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences of two unscattered photons from the same decay.</source>
      <translation>Koinzidenzen zweier ungestreuter Photonen aus demselben Zerfall.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Uniformity</source>
      <translation>Gleichmäßigkeit</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The variation of the image values within a uniform object.</source>
      <translation>Die Schwankung der Bildwerte innerhalb eines gleichmäßigen Objekts.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Units</source>
      <translation>Einheiten</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Counts are converted to activity concentration with the calibration of the scanner. Without a calibration, the values are relative.</source>
      <translation>Zählwerte werden mit der Kalibrierung des Scanners in eine Aktivitätskonzentration umgerechnet. Ohne Kalibrierung sind die Werte relativ.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The signal between two rods divided by the signal in the rods. A lower value means that the rods are better resolved.</source>
      <translation>Das Signal zwischen zwei Stäben, geteilt durch das Signal in den Stäben. Ein kleinerer Wert bedeutet besser getrennte Stäbe.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Voxel</source>
      <translation>Voxel</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The smallest element of a volume, like a pixel in a picture.</source>
      <translation>Das kleinste Element eines Volumens, wie ein Pixel im Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Voxel size</source>
      <translation>Voxelgröße</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The edge lengths of a voxel. Smaller voxels show finer detail and need more memory and time.</source>
      <translation>Die Kantenlängen eines Voxels. Kleinere Voxel zeigen feinere Details und brauchen mehr Speicher und Zeit.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Blend</source>
      <translation>Überblenden</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>The upper volume is shown semi-transparently over the lower one</source>
      <translation>Das obere Volumen wird halbtransparent über dem unteren gezeigt</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Swipe</source>
      <translation>Wischen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>A border separates the two volumes. Drag it in any view.</source>
      <translation>Eine Grenze trennt die beiden Volumina. Ziehen Sie sie in einer beliebigen Ansicht.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Blink</source>
      <translation>Blinken</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Shows the two volumes in turn. Press O to change by hand.</source>
      <translation>Zeigt die beiden Volumen abwechselnd. Mit O wechseln Sie von Hand.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Side by side</source>
      <translation>Nebeneinander</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Both volumes in separate views, at the same position and scale</source>
      <translation>Beide Volumina in getrennten Ansichten, an derselben Stelle und im selben Maßstab</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Compare</source>
      <translation>Vergleichen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Both volumes and their difference, with one window, at the same position and scale</source>
      <translation>Beide Volumen und ihre Differenz, mit einem Fenster, an derselben Stelle und im selben Maßstab</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Difference</source>
      <translation>Differenz</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Second volume minus first volume; the window is centred on 0</source>
      <translation>Zweites Volumen minus erstes Volumen; das Fenster ist um 0 zentriert</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Ratio</source>
      <translation>Verhältnis</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Second volume divided by first volume; the window is centred on 1</source>
      <translation>Zweites Volumen geteilt durch erstes Volumen; das Fenster ist um 1 zentriert</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Difference / error</source>
      <translation>Differenz / Fehler</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Second volume minus first volume, divided by the error of the difference. One voxel in 20 exceeds the limit by chance.</source>
      <translation>Zweites minus erstes Volumen, geteilt durch den Fehler der Differenz. Eines von 20 Voxeln überschreitet die Grenze zufällig.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>The slices show the image</source>
      <translation>Die Schichten zeigen das Bild</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Error</source>
      <translation>Fehler</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>The slices show the standard deviation of each voxel</source>
      <translation>Die Schichten zeigen die Standardabweichung jedes Voxels</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>The slices show the standard deviation as a percentage of the value of the voxel</source>
      <translation>Die Schichten zeigen die Standardabweichung in Prozent des Voxelwerts</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Volumes (*);;All files (*)</source>
      <translation>Volumina (*);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>View</source>
      <translation>Ansicht</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Rotate, flip or copy the most recently used view, or set the patient position</source>
      <translation>Die zuletzt benutzte Ansicht drehen, spiegeln oder kopieren, oder die Patientenlage setzen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Show another volume next to this one, with their difference</source>
      <translation>Ein anderes Volumen neben diesem anzeigen, mit der Differenz der beiden</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Swap the volumes. Regions and values refer to the first one. PET stays on top.</source>
      <translation>Volumina vertauschen. Regionen und Werte gelten für das erste. PET bleibt oben.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Hide values below window</source>
      <translation>Werte unter dem Fenster ausblenden</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Values below the window are transparent</source>
      <translation>Werte unter dem Fenster sind durchsichtig</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Shared window</source>
      <translation>Gemeinsames Fenster</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Both volumes use the same window and colour map</source>
      <translation>Beide Volumina verwenden dasselbe Fenster und dieselbe Farbtabelle</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Image or error</source>
      <translation>Bild oder Fehler</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Fusion mode</source>
      <translation>Fusionsmodus</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Show a volume</source>
      <translation>Ein Volumen zeigen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Show a second volume</source>
      <translation>Zweites Volumen zeigen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Compare with a volume</source>
      <translation>Mit einem Volumen vergleichen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>No volume</source>
      <translation>Kein Volumen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Second volume …</source>
      <translation>Zweites Volumen …</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Opacity of the upper volume</source>
      <translation>Deckkraft des oberen Volumens</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Border between the volumes</source>
      <translation>Grenze zwischen den Volumina</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Opacity of the upper volume (press O to hide it)</source>
      <translation>Deckkraft des oberen Volumens (O blendet es aus)</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>First volume</source>
      <translation>Erstes Volumen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Second volume</source>
      <translation>Zweites Volumen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Show this view in the report, as it is now</source>
      <translation>Diese Ansicht im Bericht zeigen, so wie sie jetzt ist</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>This image has no error map. To get one, set “Error map” in the card Protocol, Finishing, and reconstruct again.</source>
      <translation>Dieses Bild hat keine Fehlerkarte. Für eine Fehlerkarte in der Karte Protokoll, Abschluss, „Fehlerkarte“ ausfüllen und neu rekonstruieren.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>The patient position is stored in the volume and cannot be changed.</source>
      <translation>Die Patientenlage ist im Volumen gespeichert und kann nicht geändert werden.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the axial view</source>
      <translation>Axiale Ansicht kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the coronal view</source>
      <translation>Koronale Ansicht kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the sagittal view</source>
      <translation>Sagittale Ansicht kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Patient position</source>
      <translation>Patientenlage</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Interpolate between voxels	I</source>
      <translation>Zwischen Voxeln interpolieren	I</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Crosshair	X</source>
      <translation>Fadenkreuz	X</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the projection</source>
      <translation>Projektion kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the 3D view</source>
      <translation>3D-Ansicht kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy all views	Ctrl+C</source>
      <translation>Alle Ansichten kopieren	Strg+C</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Add to the report	E</source>
      <translation>Zum Bericht hinzufügen	E</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Rotate clockwise	T</source>
      <translation>Im Uhrzeigersinn drehen	T</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Rotate counter-clockwise</source>
      <translation>Gegen den Uhrzeigersinn drehen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Flip horizontally	M</source>
      <translation>Horizontal spiegeln	M</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Flip vertically</source>
      <translation>Vertikal spiegeln</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Reset orientation</source>
      <translation>Ausrichtung zurücksetzen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Show the image</source>
      <translation>Bild anzeigen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Show the error</source>
      <translation>Fehler anzeigen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Show the relative error</source>
      <translation>Relativen Fehler anzeigen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Unknown</source>
      <translation>Unbekannt</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/volume_menu.py" />
      <source>Image of the current run, if available</source>
      <translation>Bild des aktuellen Laufs, falls vorhanden</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/volume_menu.py" />
      <source>Iterations</source>
      <translation>Iterationen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Rotation</source>
      <translation>Drehung</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Axial slices</source>
      <translation>Axiale Schichten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Coronal slices</source>
      <translation>Koronale Schichten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Sagittal slices</source>
      <translation>Sagittale Schichten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Iterations or frames</source>
      <translation>Iterationen oder Zeitabschnitte</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save the axial view …</source>
      <translation>Axiale Ansicht speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save the coronal view …</source>
      <translation>Koronale Ansicht speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save the sagittal view …</source>
      <translation>Sagittale Ansicht speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save the projection …</source>
      <translation>Projektion speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save the 3D view …</source>
      <translation>3D-Ansicht speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Movies (*.gif *.mp4 *.png)</source>
      <translation>Filme (*.gif *.mp4 *.png)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>The movie was not saved.</source>
      <translation>Der Film wurde nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Another image was opened during the recording.</source>
      <translation>Während der Aufnahme wurde ein anderes Bild geöffnet.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Record one loop as a GIF, an MP4 or a lossless animated PNG</source>
      <translation>Einen Durchlauf als GIF, als MP4 oder als verlustfreies animiertes PNG aufnehmen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Content of the movie</source>
      <translation>Inhalt des Films</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Content of the movie. All views follow the movie.</source>
      <translation>Inhalt des Films. Alle Ansichten folgen dem Film.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Play (K)</source>
      <translation>Abspielen (K)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Images per second</source>
      <translation>Bilder pro Sekunde</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save movie</source>
      <translation>Film speichern</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Cancel the recording. No file is written.</source>
      <translation>Aufnahme abbrechen. Es wird keine Datei geschrieben.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Close the movie</source>
      <translation>Film schließen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Movie</source>
      <translation>Film</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>{per_s}/s</source>
      <translation>{per_s}/s</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Pause (K)</source>
      <translation>Pause (K)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save all views …</source>
      <translation>Alle Ansichten speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>MP4 cannot be written</source>
      <translation>MP4 kann nicht geschrieben werden</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Cancel ({n_done} of {n_all})</source>
      <translation>Abbrechen ({n_done} von {n_all})</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Movie saved: {target}</source>
      <translation>Film gespeichert: {target}</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Four views</source>
      <translation>Vier Ansichten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>One large and three small views</source>
      <translation>Eine große und drei kleine Ansichten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Single view</source>
      <translation>Einzelne Ansicht</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Large view</source>
      <translation>Große Ansicht</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Light box slices</source>
      <translation>Schichten im Lichtkasten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Delete layout</source>
      <translation>Layout löschen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Light box, {rows} × {columns}</source>
      <translation>Lichtkasten, {rows} × {columns}</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>3D view instead of the projection	D</source>
      <translation>3D-Ansicht statt Projektion	D</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Volume rendering or surface from any direction</source>
      <translation>Volumen oder Oberfläche aus beliebiger Richtung</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Save layout …</source>
      <translation>Layout speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Save layout</source>
      <translation>Layout speichern</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Every slice</source>
      <translation>Jede Schicht</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>The whole volume</source>
      <translation>Das ganze Volumen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>One in {spacing} slices</source>
      <translation>Jede {spacing}. Schicht</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Colours and opacity follow the window of the views</source>
      <translation>Farben und Deckkraft folgen dem Fenster der Ansichten</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Surface</source>
      <translation>Oberfläche</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Shows the surface of all values above the level</source>
      <translation>Zeigt die Oberfläche aller Werte über dem Schwellenwert</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>MIP</source>
      <translation>MIP</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Maximum along each line of sight, from any direction</source>
      <translation>Höchster Wert entlang jeder Sichtlinie, aus beliebiger Richtung</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>The 3D view was not copied.</source>
      <translation>Die 3D-Ansicht wurde nicht kopiert.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>The 3D view was not saved.</source>
      <translation>Die 3D-Ansicht wurde nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>It shows another image now, or cannot be drawn.</source>
      <translation>Sie zeigt jetzt ein anderes Bild oder lässt sich nicht zeichnen.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Pictures (*.png)</source>
      <translation>Bilder (*.png)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>3D mode</source>
      <translation>3D-Darstellung</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Show the visible regions as coloured surfaces</source>
      <translation>Die sichtbaren Regionen als farbige Oberflächen zeigen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Save the 3D view as PNG …</source>
      <translation>3D-Ansicht als PNG speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Back to the projection</source>
      <translation>Zurück zur Projektion</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>3D</source>
      <translation>3D</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Second ({unit})</source>
      <translation>Zweiter ({unit})</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Level ({unit})</source>
      <translation>Schwelle ({unit})</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Value of the surface ({unit}). All values above it are inside.</source>
      <translation>Schwellenwert der Oberfläche ({unit}). Alle höheren Werte liegen innen.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>Save the 3D view</source>
      <translation>3D-Ansicht speichern</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/rendering_bar.py" />
      <source>3D view saved: {target}</source>
      <translation>3D-Ansicht gespeichert: {target}</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Maximum (MIP)</source>
      <translation>Maximum (MIP)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Maximum along each line through the slab</source>
      <translation>Maximum entlang jeder Linie durch die dicke Schicht</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Mean along each line through the slab: less noise, more blur</source>
      <translation>Mittelwert entlang jeder Linie durch die dicke Schicht: weniger Rauschen, mehr Unschärfe</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Minimum (MinIP)</source>
      <translation>Minimum (MinIP)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Minimum along each line: shows airways, and vessels without contrast agent</source>
      <translation>Minimum entlang jeder Linie: zeigt Atemwege und Gefäße ohne Kontrastmittel</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Slab mode</source>
      <translation>Modus der dicken Schicht</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Back to single slices (B)</source>
      <translation>Zurück zu einzelnen Schichten (B)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Thickness (mm)</source>
      <translation>Dicke (mm)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Slab</source>
      <translation>Schichtdicke</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Slab thickness ({length_unit}), rounded to whole slices</source>
      <translation>Dicke der dicken Schicht ({length_unit}), auf ganze Schichten gerundet</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Slab thickness ({length_unit})</source>
      <translation>Dicke der dicken Schicht ({length_unit})</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Show four views, one large view, a light box of many slices, or the 3D view (D). The program remembers the choice for PET, CT, fused images, panels and frames.</source>
      <translation>Vier Ansichten, eine große Ansicht, einen Lichtkasten mit vielen Schichten oder die 3D-Ansicht (D) anzeigen. Das Programm merkt sich die Auswahl für PET, CT, fusionierte Bilder, Panels und Frames.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Play and save a movie of the rotating projection, slices, iterations or frames (K)</source>
      <translation>Einen Film der rotierenden Projektion, der Schichten, Iterationen oder Zeitabschnitte abspielen und speichern (K)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Magnify the image around the pointer by a factor of 3 (Z)</source>
      <translation>Das Bild um den Zeiger dreifach vergrößern (Z)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Magnify, measure distances and angles, or add arrows, text and curves</source>
      <translation>Vergrößern, Strecken und Winkel messen oder Pfeile, Text und Kurven setzen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Combine several slices into one: maximum, mean or minimum (B)</source>
      <translation>Mehrere Schichten zu einer verbinden: Maximum, Mittelwert oder Minimum (B)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag between two points in a slice. The distance is saved with the scan.</source>
      <translation>In einer Schicht zwischen zwei Punkten ziehen. Der Abstand wird mit dem Scan gespeichert.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag from the end of one side of the angle to its vertex, then click the end of the other side</source>
      <translation>Vom Ende eines Schenkels zum Scheitel ziehen, dann das Ende des anderen Schenkels anklicken</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag in a slice from the tail of the arrow to its tip</source>
      <translation>In einer Schicht vom Schaft des Pfeils zu seiner Spitze ziehen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Click in a slice to add text</source>
      <translation>In eine Schicht klicken, um Text hinzuzufügen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag along a vessel or a jaw in a slice. The Measure tab shows a straightened view of it.</source>
      <translation>In einer Schicht an einem Gefäß oder Kiefer entlang ziehen. Der Reiter Messen zeigt davon eine gestreckte Ansicht.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Layout</source>
      <translation>Anordnung</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Tools</source>
      <translation>Werkzeuge</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Magnifier</source>
      <translation>Lupe</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_bar.py" />
      <source>Colour bar</source>
      <translation>Farbbalken</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>Inverted grey</source>
      <translation>Umgekehrtes Grau</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>Grey</source>
      <translation>Grau</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>Hot metal</source>
      <translation>Hot Metal</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>Viridis</source>
      <translation>Viridis</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>Cividis</source>
      <translation>Cividis</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>Rainbow</source>
      <translation>Regenbogen</translation>
    </message>
    <message>
      <location filename="app/views/colour/colour_maps.py" />
      <source>The rainbow colour map shows edges that do not exist. Do not judge small differences with it.</source>
      <translation>Die Regenbogenfarben zeigen Kanten, die es nicht gibt. Beurteilen Sie damit keine kleinen Unterschiede.</translation>
    </message>
    <message>
      <location filename="app/views/colour/raster_view.py" />
      <source>NaN values shown as 0: {n_nan}</source>
      <translation>Als 0 gezeigte NaN-Werte: {n_nan}</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Lower window limit</source>
      <translation>Untere Fenstergrenze</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Upper window limit</source>
      <translation>Obere Fenstergrenze</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Automatic window</source>
      <translation>Automatisches Fenster</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Window presets</source>
      <translation>Fenster-Voreinstellungen</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Colour map</source>
      <translation>Farbtabelle</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Lower window limit for the second volume</source>
      <translation>Untere Fenstergrenze des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Upper window limit for the second volume</source>
      <translation>Obere Fenstergrenze des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Automatic window for the second volume</source>
      <translation>Automatisches Fenster des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Window presets for the second volume</source>
      <translation>Fenster-Voreinstellungen des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Colour map for the second volume</source>
      <translation>Farbtabelle des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Lower window limit for the comparison</source>
      <translation>Untere Fenstergrenze des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Upper window limit for the comparison</source>
      <translation>Obere Fenstergrenze des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Set the window for the comparison automatically</source>
      <translation>Das Fenster des Vergleichs automatisch wählen</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Window presets for the comparison</source>
      <translation>Fenster-Voreinstellungen des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Colour map for the comparison</source>
      <translation>Farbtabelle des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Auto</source>
      <translation>Auto</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Fit the window to most of the values</source>
      <translation>Das Fenster an die meisten Werte anpassen</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Window</source>
      <translation>Fenster</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Histogram …</source>
      <translation>Histogramm …</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Lung</source>
      <translation>Lunge</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Soft tissue</source>
      <translation>Weichteile</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Brain</source>
      <translation>Gehirn</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Bone</source>
      <translation>Knochen</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Full range</source>
      <translation>Ganzer Bereich</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>0 to {top:g} {unit}</source>
      <translation>0 bis {top:g} {unit}</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>0 to {top:g} kBq/mL</source>
      <translation>0 bis {top:g} kBq/mL</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Lower half of the range</source>
      <translation>Untere Hälfte des Bereichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Lowest quarter of the range</source>
      <translation>Unterstes Viertel des Bereichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Lowest tenth of the range</source>
      <translation>Unterstes Zehntel des Bereichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Lower half: low-density material</source>
      <translation>Untere Hälfte: Material geringer Dichte</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Upper half: dense material</source>
      <translation>Obere Hälfte: dichtes Material</translation>
    </message>
    <message>
      <location filename="app/views/colour/windows.py" />
      <source>Lower quarter: faint differences</source>
      <translation>Unteres Viertel: schwache Unterschiede</translation>
    </message>
    <message>
      <location filename="app/views/fusion/comparing.py" />
      <source>Both volumes need an error map. Set “Error map” in the card Protocol, Finishing, and reconstruct again.</source>
      <translation>Beide Volumina brauchen eine Fehlerkarte. In der Karte Protokoll, Abschluss, „Fehlerkarte“ ausfüllen und neu rekonstruieren.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/comparing.py" />
      <source>Both images are from one scan, but they use different counts of it, so it is unknown how much of their noise is the same. Reconstruct both with the same times and data corrections.</source>
      <translation>Beide Bilder stammen aus einem Scan, verwenden aber verschiedene Ereignisse davon. Welcher Teil ihres Rauschens gleich ist, ist daher unbekannt. Beide mit denselben Zeiten und Datenkorrekturen rekonstruieren.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/comparing.py" />
      <source>Both images are from one scan, but their error maps have different replicates. Reconstruct one of them again with the number of replicates and the seed of the other.</source>
      <translation>Beide Bilder stammen aus einem Scan, aber ihre Fehlerkarten haben verschiedene Wiederholungen. Eines davon mit der Zahl der Wiederholungen und dem Startwert des anderen neu rekonstruieren.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/comparing.py" />
      <source>To show the difference, both volumes must have the same unit (first volume: {lower}, second volume: {upper}).</source>
      <translation>Für die Differenz müssen beide Volumina dieselbe Einheit haben (erstes Volumen: {lower}, zweites Volumen: {upper}).</translation>
    </message>
    <message>
      <location filename="app/views/fusion/comparing.py" />
      <source>Both images are from one scan, so their noise is compared voxel by voxel. Reconstruct both with the same volume.</source>
      <translation>Beide Bilder stammen aus einem Scan, daher wird ihr Rauschen Voxel für Voxel verglichen. Beide mit demselben Volumen rekonstruieren.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>Comparisons need a second image. The upper volume is the error of this one.</source>
      <translation>Ein Vergleich braucht ein zweites Bild. Das obere Volumen ist der Fehler dieses Bildes.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>× error</source>
      <translation>× Fehler</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>Window width × 2</source>
      <translation>Fensterbreite × 2</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>Window width × 0.5</source>
      <translation>Fensterbreite × 0.5</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>Window width × 0.2</source>
      <translation>Fensterbreite × 0.2</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>hidden: &lt; {percent:.0f} % of window ({least})</source>
      <translation>verborgen: &lt; {percent:.0f} % des Fensters ({least})</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>difference / its error, limit ±{limit:.1f} (95 %)</source>
      <translation>Differenz / ihr Fehler, Grenze ±{limit:.1f} (95 %)</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>red: higher in {name}</source>
      <translation>rot: höher in {name}</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>above 0: higher in {name}</source>
      <translation>über 0: höher in {name}</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>About 5 % of unchanged voxels exceed ±{limit:.1f} by chance.</source>
      <translation>Etwa 5 % der unveränderten Voxel überschreiten ±{limit:.1f} zufällig.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>The second volume is rotated or moved, so regions are not compared in it.</source>
      <translation>Das zweite Volumen ist gedreht oder verschoben, daher werden Regionen darin nicht verglichen.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_text.py" />
      <source>outside the second volume</source>
      <translation>außerhalb des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/fusion/upper_plane.py" />
      <source>the Volume tab shows both volumes side by side</source>
      <translation>der Reiter Volumen zeigt beide Volumina nebeneinander</translation>
    </message>
    <message>
      <location filename="app/views/gestures.py" />
      <source>W {width}  L {level}   {low} to {high} {unit}</source>
      <translation>B {width}  M {level}   {low} bis {high} {unit}</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>Head first, supine</source>
      <translation>Kopf voran, Rückenlage</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>Head first, prone</source>
      <translation>Kopf voran, Bauchlage</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>Feet first, supine</source>
      <translation>Füße voran, Rückenlage</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>Feet first, prone</source>
      <translation>Füße voran, Bauchlage</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>Head first, right side down</source>
      <translation>Kopf voran, rechte Seitenlage</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>Head first, left side down</source>
      <translation>Kopf voran, linke Seitenlage</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>mirrored</source>
      <translation>gespiegelt</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_geometry.py" />
      <source>rotated by {angle}°</source>
      <translation>gedreht um {angle}°</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_scene_view.py" />
      <source>Drag a plane to move it along its normal. Drag a round handle to rotate the plane. Drag outside the planes to rotate the view. Wheel: move the plane, or zoom with Ctrl. Keys 1, 2, 3: select a plane. PgUp, PgDn: move it. Shift + arrow keys: rotate it. Arrow keys: rotate the view. R: reset the planes. 0: reset the view.</source>
      <translation>Ziehen Sie eine Ebene, um sie entlang ihrer Normale zu verschieben. Ziehen Sie einen runden Griff, um die Ebene zu drehen. Ziehen Sie neben den Ebenen, um die Ansicht zu drehen. Rad: Ebene verschieben, mit Strg zoomen. Tasten 1, 2, 3: Ebene wählen. Bild auf, Bild ab: Ebene verschieben. Umschalt + Pfeiltasten: Ebene drehen. Pfeiltasten: Ansicht drehen. R: Ebenen zurücksetzen. 0: Ansicht zurücksetzen.</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_text.py" />
      <source>Normal to z</source>
      <translation>Senkrecht zu z</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_text.py" />
      <source>Normal to y</source>
      <translation>Senkrecht zu y</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_text.py" />
      <source>Normal to x</source>
      <translation>Senkrecht zu x</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_text.py" />
      <source>Normal to {name}   {name} {centre_mm} mm</source>
      <translation>Senkrecht zu {name}   {name} {centre_mm} mm</translation>
    </message>
    <message>
      <location filename="app/views/planes/plane_text.py" />
      <source>{plane}   rotated by {angle:.0f}°   {distance} mm from the centre</source>
      <translation>{plane}   gedreht um {angle:.0f}°   {distance} mm von der Mitte</translation>
    </message>
    <message>
      <location filename="app/views/plots/convergence_plot.py" />
      <source>step</source>
      <translation>Schritt</translation>
    </message>
    <message>
      <location filename="app/views/plots/convergence_view.py" />
      <source>Each fitting step adds a point here</source>
      <translation>Jeder Anpassungsschritt fügt hier einen Punkt hinzu</translation>
    </message>
    <message>
      <location filename="app/views/plots/convergence_view.py" />
      <source>Largest change in any component at each step, in standard errors. Dashed line: convergence limit.</source>
      <translation>Größte Änderung einer Komponente in jedem Schritt, in Standardfehlern. Gestrichelte Linie: Konvergenzgrenze.</translation>
    </message>
    <message>
      <location filename="app/views/plots/convergence_view.py" />
      <source>Change in the components at each step</source>
      <translation>Änderung der Komponenten in jedem Schritt</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_over_time.py" />
      <source>Each time frame adds a point to the curve</source>
      <translation>Jeder Zeitabschnitt fügt der Kurve einen Punkt hinzu</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_over_time.py" />
      <source>Mean [{unit}]</source>
      <translation>Mittelwert [{unit}]</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_plot.py" />
      <source>iteration</source>
      <translation>Iteration</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_view.py" />
      <source>The curve starts after the first iteration</source>
      <translation>Die Kurve beginnt nach der ersten Iteration</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_view.py" />
      <source>Values by iteration: {title}</source>
      <translation>Werte je Iteration: {title}</translation>
    </message>
    <message>
      <location filename="app/views/plots/histogram_view.py" />
      <source>Drag a window limit, or drag between the limits to move both. The arrow keys move the limit that you used last.</source>
      <translation>Ziehen Sie eine Fenstergrenze, oder ziehen Sie dazwischen, um beide zu verschieben. Die Pfeiltasten bewegen die zuletzt benutzte Grenze.</translation>
    </message>
    <message>
      <location filename="app/views/plots/histogram_view.py" />
      <source>Histogram of the values with the window limits</source>
      <translation>Histogramm der Werte mit den Fenstergrenzen</translation>
    </message>
    <message>
      <location filename="app/views/plots/histogram_window.py" />
      <source>Frequency of each value (logarithmic) and the window limits</source>
      <translation>Häufigkeit jedes Werts (logarithmisch) und die Fenstergrenzen</translation>
    </message>
    <message>
      <location filename="app/views/plots/histogram_window.py" />
      <source>Histogram: {name}{unit}</source>
      <translation>Histogramm: {name}{unit}</translation>
    </message>
    <message>
      <location filename="app/views/plots/histogram_window.py" />
      <source>displayed volume</source>
      <translation>angezeigtes Volumen</translation>
    </message>
    <message>
      <location filename="app/views/plots/line_plot.py" />
      <source>Values along the line</source>
      <translation>Werte entlang der Linie</translation>
    </message>
    <message>
      <location filename="app/views/plots/profile_plot.py" />
      <source>Draw a line across a slice to see the values along it</source>
      <translation>Zeichnen Sie eine Linie durch eine Schicht, um die Werte entlang ihr zu sehen</translation>
    </message>
    <message>
      <location filename="app/views/plots/profile_plot.py" />
      <source>distance from end 1 [{length}]</source>
      <translation>Abstand von Ende 1 [{length}]</translation>
    </message>
    <message>
      <location filename="app/views/plots/scatter_plot.py" />
      <source>Counts without randoms (solid line), scatter (dashed line)</source>
      <translation>Ereignisse ohne Zufallskoinzidenzen (durchgezogen), Streuung (gestrichelt)</translation>
    </message>
    <message>
      <location filename="app/views/plots/scatter_plot.py" />
      <source>distance from the axis [mm]</source>
      <translation>Abstand von der Achse [mm]</translation>
    </message>
    <message>
      <location filename="app/views/plots/scatter_plot.py" />
      <source>Measured counts and scatter by distance from the axis</source>
      <translation>Gemessene Ereignisse und Streuung nach Abstand von der Achse</translation>
    </message>
    <message>
      <location filename="app/views/plots/stage_bars.py" />
      <source>{minutes}:{rest:02d} min</source>
      <translation>{minutes}:{rest:02d} min</translation>
    </message>
    <message>
      <location filename="app/views/plots/stage_bars.py" />
      <source>Timings appear while a reconstruction runs</source>
      <translation>Zeiten erscheinen, während eine Rekonstruktion läuft</translation>
    </message>
    <message>
      <location filename="app/views/plots/stage_bars.py" />
      <source>Time per stage</source>
      <translation>Zeit je Abschnitt</translation>
    </message>
    <message>
      <location filename="app/views/plots/time_plot.py" />
      <source>Mean ({unit}); bars: ±1 standard deviation of the noise, from {n} replicates</source>
      <translation>Mittelwert ({unit}); Balken: ±1 Standardabweichung des Rauschens, aus {n} Wiederholungen</translation>
    </message>
    <message>
      <location filename="app/views/plots/time_plot.py" />
      <source>Mean ({unit}); bars: ±1 standard deviation of the voxel values</source>
      <translation>Mittelwert ({unit}); Balken: ±1 Standardabweichung der Voxelwerte</translation>
    </message>
    <message>
      <location filename="app/views/plots/timeline.py" />
      <source>Timeline</source>
      <translation>Zeitachse</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_plot.py" />
      <source>variant number</source>
      <translation>Nummer der Variante</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_view.py" />
      <source>Each tested variant adds a point here</source>
      <translation>Jede getestete Variante fügt hier einen Punkt hinzu</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_view.py" />
      <source>Time per run [ms]. Dots: variants, hollow if measured in an earlier search. Dashed line: default variant. Steps: best so far. Triangles: slower than the plot range. Crosses: wrong or failed.</source>
      <translation>Zeit je Lauf [ms]. Punkte: Varianten, hohl, wenn in einer früheren Suche gemessen. Gestrichelte Linie: Standardvariante. Stufen: bisher beste. Dreiecke: langsamer als der dargestellte Bereich. Kreuze: falsch oder fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_view.py" />
      <source>Times for the tested variants</source>
      <translation>Zeiten der getesteten Varianten</translation>
    </message>
    <message>
      <location filename="app/views/rendering/packing.py" />
      <source>This computer has too little free memory for the 3D view.</source>
      <translation>Dieser Rechner hat zu wenig freien Arbeitsspeicher für die 3D-Ansicht.</translation>
    </message>
    <message>
      <location filename="app/views/rendering/ray_caster.py" />
      <source>The 3D view needs OpenGL 3.3, and this driver offers less ({found}). The view shows the turning projection instead. Update the graphics driver.</source>
      <translation>Die 3D-Ansicht braucht OpenGL 3.3, aber dieser Treiber bietet weniger ({found}). Stattdessen wird die drehbare Projektion gezeigt. Aktualisieren Sie den Grafiktreiber.</translation>
    </message>
    <message>
      <location filename="app/views/rendering/ray_caster.py" />
      <source>The 3D view needs OpenGL 3.3, and this computer offers none. The view shows the turning projection instead. Install a graphics driver, or Mesa for a computer without a card.</source>
      <translation>Die 3D-Ansicht braucht OpenGL 3.3, das auf diesem Rechner fehlt. Stattdessen wird die drehbare Projektion gezeigt. Installieren Sie einen Grafiktreiber, oder Mesa für einen Rechner ohne Grafikkarte.</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>Volume rendering</source>
      <translation>Volumendarstellung</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>Projection (MIP)</source>
      <translation>Projektion (MIP)</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>Drag to rotate. Wheel: zoom. Middle button: move. Right button: window. R: from the front.</source>
      <translation>Ziehen: drehen. Mausrad: zoomen. Mittlere Taste: verschieben. Rechte Taste: Fenster. R: von vorn.</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>3D view</source>
      <translation>3D-Ansicht</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>window × {gain:g}</source>
      <translation>Fenster × {gain:g}</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>means of {n} × {n} × {n} voxels</source>
      <translation>Mittelwerte aus {n} × {n} × {n} Voxeln</translation>
    </message>
    <message>
      <location filename="app/views/rendering/rendering_view.py" />
      <source>Preparing the 3D view …</source>
      <translation>3D-Ansicht wird vorbereitet …</translation>
    </message>
    <message>
      <location filename="app/views/scan/block_map.py" />
      <source>Counts in each detector block during the last second: around the ring and along the axis</source>
      <translation>Ereignisse in jedem Detektorblock während der letzten Sekunde: um den Ring und entlang der Achse</translation>
    </message>
    <message>
      <location filename="app/views/scan/block_map.py" />
      <source>No counts yet</source>
      <translation>Noch keine Ereignisse</translation>
    </message>
    <message>
      <location filename="app/views/scan/block_map.py" />
      <source>{n_blocks} blocks, none silent</source>
      <translation>{n_blocks} Blöcke, keiner stumm</translation>
    </message>
    <message>
      <location filename="app/views/scan/block_map.py" />
      <source>{n_blocks} blocks, {n_silent} silent</source>
      <translation>{n_blocks} Blöcke, {n_silent} stumm</translation>
    </message>
    <message>
      <location filename="app/views/scan/block_map.py" />
      <source>Counts in the detector blocks</source>
      <translation>Ereignisse in den Detektorblöcken</translation>
    </message>
    <message>
      <location filename="app/views/scan/candidate_tile.py" />
      <source>best</source>
      <translation>am besten</translation>
    </message>
    <message>
      <location filename="app/views/scan/candidate_view.py" />
      <source>Selected candidate</source>
      <translation>Gewählter Kandidat</translation>
    </message>
    <message>
      <location filename="app/views/scan/detector_state.py" />
      <source>line integral</source>
      <translation>Linienintegral</translation>
    </message>
    <message>
      <location filename="app/views/scan/detector_state.py" />
      <source>rotated by {angle}°, moved by {height_mm} mm along z</source>
      <translation>gedreht um {angle}°, verschoben um {height_mm} mm entlang z</translation>
    </message>
    <message>
      <location filename="app/views/scan/detector_state.py" />
      <source>view {view}, column {column}, row {row}: {value} (bad pixel)</source>
      <translation>Ansicht {view}, Spalte {column}, Zeile {row}: {value} (schlechtes Pixel)</translation>
    </message>
    <message>
      <location filename="app/views/scan/detector_state.py" />
      <source>view {view}, column {column}, row {row}: {value}</source>
      <translation>Ansicht {view}, Spalte {column}, Zeile {row}: {value}</translation>
    </message>
    <message>
      <location filename="app/views/scan/projections_view.py" />
      <source>As measured</source>
      <translation>Wie gemessen</translation>
    </message>
    <message>
      <location filename="app/views/scan/projections_view.py" />
      <source>After preparation</source>
      <translation>Nach der Vorbereitung</translation>
    </message>
    <message>
      <location filename="app/views/scan/projections_view.py" />
      <source>Select the view. In an image, you can also use the wheel, PgUp and PgDn.</source>
      <translation>Ansicht wählen. In einem Bild gehen auch Rad, Bild auf und Bild ab.</translation>
    </message>
    <message>
      <location filename="app/views/scan/projections_view.py" />
      <source>View 0000 of 0000</source>
      <translation>Ansicht 0000 von 0000</translation>
    </message>
    <message>
      <location filename="app/views/scan/projections_view.py" />
      <source>Values as measured or after preparation</source>
      <translation>Werte wie gemessen oder nach der Vorbereitung</translation>
    </message>
    <message>
      <location filename="app/views/scan/projections_view.py" />
      <source>View {view} of {n}</source>
      <translation>Ansicht {view} von {n}</translation>
    </message>
    <message>
      <location filename="app/views/scan/radiograph_view.py" />
      <source>Wheel, PgUp or PgDn: change the view. Click: select row and column.</source>
      <translation>Rad, Bild auf oder Bild ab: Ansicht wechseln. Klick: Zeile und Spalte wählen.</translation>
    </message>
    <message>
      <location filename="app/views/scan/radiograph_view.py" />
      <source>Reading the projection …</source>
      <translation>Die Projektion wird gelesen …</translation>
    </message>
    <message>
      <location filename="app/views/scan/radiograph_view.py" />
      <source>seen from the source</source>
      <translation>von der Quelle gesehen</translation>
    </message>
    <message>
      <location filename="app/views/scan/radiograph_view.py" />
      <source>seen from behind the detector</source>
      <translation>von hinter dem Detektor gesehen</translation>
    </message>
    <message>
      <location filename="app/views/scan/radiograph_view.py" />
      <source>View {shown_view}</source>
      <translation>Ansicht {shown_view}</translation>
    </message>
    <message>
      <location filename="app/views/scan/radiograph_view.py" />
      <source>row height × {factor}</source>
      <translation>Zeilenhöhe × {factor}</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_painter.py" />
      <source>first view</source>
      <translation>erste Ansicht</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_painter.py" />
      <source>{length} to the axis</source>
      <translation>{length} zur Achse</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_painter.py" />
      <source>{length} to the detector</source>
      <translation>{length} zum Detektor</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_view.py" />
      <source>Oblique</source>
      <translation>Schräg</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_view.py" />
      <source>From +z</source>
      <translation>Von +z</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_view.py" />
      <source>From the side</source>
      <translation>Von der Seite</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_view.py" />
      <source>Scan geometry</source>
      <translation>Scangeometrie</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_view.py" />
      <source>Drag or use the arrow keys to rotate. Wheel, PgUp or PgDn: change the view. Ctrl+wheel, + and −: zoom. 0: fit.</source>
      <translation>Ziehen oder Pfeiltasten: drehen. Rad, Bild auf oder Bild ab: Ansicht wechseln. Strg+Rad, + und −: zoomen. 0: einpassen.</translation>
    </message>
    <message>
      <location filename="app/views/scan/sinogram_view.py" />
      <source>Wheel, PgUp or PgDn: change the row. Click: select view and column.</source>
      <translation>Rad, Bild auf oder Bild ab: Zeile wechseln. Klick: Ansicht und Spalte wählen.</translation>
    </message>
    <message>
      <location filename="app/views/scan/sinogram_view.py" />
      <source>Reading the sinogram …</source>
      <translation>Das Sinogramm wird gelesen …</translation>
    </message>
    <message>
      <location filename="app/views/scan/sinogram_view.py" />
      <source>Sinogram   row {shown_row}</source>
      <translation>Sinogramm   Zeile {shown_row}</translation>
    </message>
    <message>
      <location filename="app/views/scan/sinogram_view.py" />
      <source>view 1</source>
      <translation>Ansicht 1</translation>
    </message>
    <message>
      <location filename="app/views/scan/sinogram_view.py" />
      <source>view {n}, {last}</source>
      <translation>Ansicht {n}, {last}</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>No iterations yet</source>
      <translation>Noch keine Iterationen</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Select a saved iteration (keys [ and ])</source>
      <translation>Eine gespeicherte Iteration wählen (Tasten [ und ])</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Latest</source>
      <translation>Neueste</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>The view follows the latest iteration</source>
      <translation>Die Ansicht folgt der neuesten Iteration</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Show the latest iteration and follow new ones</source>
      <translation>Die neueste Iteration zeigen und neuen folgen</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Iteration 00 of 00</source>
      <translation>Iteration 00 von 00</translation>
    </message>
    <message>
      <location filename="app/views/slices/curved_view.py" />
      <source>View along the curve</source>
      <translation>Ansicht entlang der Kurve</translation>
    </message>
    <message>
      <location filename="app/views/slices/light_box.py" />
      <source>Light box, slice {place}: {plane}</source>
      <translation>Lichtkasten, Schicht {place}: {plane}</translation>
    </message>
    <message>
      <location filename="app/views/slices/mip_view.py" />
      <source>Maximum along each line of sight. Drag to rotate. These values are higher than those of a slice, so the window can be wider. The note at the lower left states the factor.</source>
      <translation>Maximum entlang jeder Sichtlinie. Ziehen, um zu drehen. Diese Werte sind höher als die einer Schicht, deshalb kann das Fenster weiter sein. Den Faktor nennt der Hinweis unten links.</translation>
    </message>
    <message>
      <location filename="app/views/slices/mip_view.py" />
      <source>Maximum intensity projection</source>
      <translation>Maximumintensitätsprojektion</translation>
    </message>
    <message>
      <location filename="app/views/slices/mip_view.py" />
      <source>Projection   {degrees:.0f}°</source>
      <translation>Projektion   {degrees:.0f}°</translation>
    </message>
    <message>
      <location filename="app/views/slices/region_slices.py" />
      <source>The image and the region for the mean appear here</source>
      <translation>Hier erscheinen das Bild und die Region für den Mittelwert</translation>
    </message>
    <message>
      <location filename="app/views/slices/region_slices.py" />
      <source>Slices of the image with the region</source>
      <translation>Schichten des Bildes mit der Region</translation>
    </message>
    <message>
      <location filename="app/views/slices/slab.py" />
      <source>MinIP</source>
      <translation>MinIP</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Axial view</source>
      <translation>Axiale Ansicht</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Coronal view</source>
      <translation>Koronale Ansicht</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Sagittal view</source>
      <translation>Sagittale Ansicht</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Axial view, second volume</source>
      <translation>Axiale Ansicht, zweites Volumen</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Coronal view, second volume</source>
      <translation>Koronale Ansicht, zweites Volumen</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Sagittal view, second volume</source>
      <translation>Sagittale Ansicht, zweites Volumen</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Axial view, difference</source>
      <translation>Axiale Ansicht, Differenz</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Coronal view, difference</source>
      <translation>Koronale Ansicht, Differenz</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>Sagittal view, difference</source>
      <translation>Sagittale Ansicht, Differenz</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>patient position set manually</source>
      <translation>Patientenlage von Hand gesetzt</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>compared slice by slice</source>
      <translation>Schicht für Schicht verglichen</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>single slice of the upper volume (oblique)</source>
      <translation>einzelne Schicht des oberen Volumens (schräg)</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>dashed: reconstructed volume</source>
      <translation>gestrichelt: rekonstruiertes Volumen</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>blurred along the {value} axis</source>
      <translation>verwischt entlang der {value}-Achse</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>not a number</source>
      <translation>keine Zahl</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>Final</source>
      <translation>Endbild</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>All frames</source>
      <translation>Alle Zeitabschnitte</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>Iteration {n}, subset {subset}</source>
      <translation>Iteration {n}, Teilmenge {subset}</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>Iteration {n} of {of}, subset {subset}</source>
      <translation>Iteration {n} von {of}, Teilmenge {subset}</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>Frame {n}</source>
      <translation>Zeitabschnitt {n}</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>{frame}, subset {subset}</source>
      <translation>{frame}, Teilmenge {subset}</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>{frame}, {start} to {end} s</source>
      <translation>{frame}, {start} bis {end} s</translation>
    </message>
    <message>
      <location filename="app/views/view_toolbar.py" />
      <source>The patient's right is on the left of the screen. Click to change it.</source>
      <translation>Die rechte Patientenseite ist links auf dem Bildschirm. Zum Ändern klicken.</translation>
    </message>
    <message>
      <location filename="app/views/view_toolbar.py" />
      <source>The patient's right is on the right of the screen. Click to change it.</source>
      <translation>Die rechte Patientenseite ist rechts auf dem Bildschirm. Zum Ändern klicken.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_page.py" />
      <source>Step through the views. In the drawing, you can also use the wheel, PgUp and PgDn.</source>
      <translation>Durch die Ansichten blättern. In der Zeichnung auch mit Mausrad, Bild auf und Bild ab.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_page.py" />
      <source>Inspect the scan: {name}</source>
      <translation>Den Scan ansehen: {name}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_page.py" />
      <source>View {view}, {angle_text}</source>
      <translation>Ansicht {view}, {angle_text}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Path</source>
      <translation>Bahn</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Turn</source>
      <translation>Drehung</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Source to axis</source>
      <translation>Quelle zur Achse</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Source to detector</source>
      <translation>Quelle zum Detektor</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{spread} {unit}, perpendicular to the detector</source>
      <translation>{spread} {unit}, senkrecht zum Detektor</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Magnification</source>
      <translation>Vergrößerung</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Ray direction</source>
      <translation>Strahlrichtung</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Detector centre</source>
      <translation>Mitte des Detektors</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Column step (u)</source>
      <translation>Spaltenschritt (u)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Row step (v)</source>
      <translation>Zeilenschritt (v)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>a circle about z</source>
      <translation>ein Kreis um z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>rotation about z</source>
      <translation>Drehung um z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>a helix, {pitch} mm along z per rotation</source>
      <translation>eine Helix, {pitch} mm entlang z je Umdrehung</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>free: every view has its own position</source>
      <translation>frei: Jede Ansicht hat ihre eigene Lage</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>1 view</source>
      <translation>1 Ansicht</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>counter-clockwise seen from +z</source>
      <translation>gegen den Uhrzeigersinn, von +z gesehen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>clockwise seen from +z</source>
      <translation>im Uhrzeigersinn, von +z gesehen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>steps of {step}°</source>
      <translation>Schritte von {step}°</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>uneven steps</source>
      <translation>ungleiche Schritte</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{n_views:,} views over {whole}°</source>
      <translation>{n_views:,} Ansichten über {whole}°</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>parallel; the detector distance has no effect</source>
      <translation>parallel; der Abstand des Detektors hat keinen Einfluss</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>fan</source>
      <translation>Fächer</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>cone</source>
      <translation>Kegel</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{column}, {distance} columns from the centre</source>
      <translation>{column}, {distance} Spalten von der Mitte</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{column}, at the centre</source>
      <translation>{column}, in der Mitte</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>determined from the scan in each run</source>
      <translation>in jedem Lauf aus dem Scan bestimmt</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{n:,} columns × 1 row, {sides}</source>
      <translation>{n:,} Spalten × 1 Zeile, {sides}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{n:,} columns × {n_rows:,} rows, {sides}</source>
      <translation>{n:,} Spalten × {n_rows:,} Zeilen, {sides}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Detector</source>
      <translation>Detektor</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Detector tilt</source>
      <translation>Neigung des Detektors</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Columns (u)</source>
      <translation>Spalten (u)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Rows (v)</source>
      <translation>Zeilen (v)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>none, perpendicular to the central ray</source>
      <translation>keine, senkrecht zum Zentralstrahl</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{spread}° out of plane, {spread_2}° in plane</source>
      <translation>{spread}° aus der Ebene, {spread_2}° in der Ebene</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>to the right, seen from the source with +z up</source>
      <translation>nach rechts, von der Quelle gesehen mit +z oben</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>to the left, seen from the source with +z up</source>
      <translation>nach links, von der Quelle gesehen mit +z oben</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>different in each view</source>
      <translation>in jeder Ansicht anders</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>upwards, row 0 at the lowest z</source>
      <translation>nach oben, Zeile 0 beim kleinsten z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>downwards, row 0 at the highest z</source>
      <translation>nach unten, Zeile 0 beim größten z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>horizontal</source>
      <translation>waagerecht</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Save the three slices to files with their positions and provenance</source>
      <translation>Die drei Schichten mit Lage und Herkunft in Dateien speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Reset the slices to planes through the centre, perpendicular to z, y and x (R)</source>
      <translation>Die Schichten auf Ebenen durch die Mitte zurücksetzen, senkrecht zu z, y und x (R)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>The slices are being prepared …</source>
      <translation>Die Schichten werden vorbereitet …</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Coarse preview while moving.</source>
      <translation>Grobe Vorschau während der Bewegung.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Full resolution.</source>
      <translation>Volle Auflösung.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Preview: central slice</source>
      <translation>Vorschau: mittlere Schicht</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Right button: window. Ctrl+wheel: zoom. Middle button: pan. A: automatic window.</source>
      <translation>Rechte Taste: Fensterung. Strg+Rad: Zoom. Mittlere Taste: verschieben. A: automatische Fensterung.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Preview</source>
      <translation>Vorschau</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Computing the preview …</source>
      <translation>Vorschau wird berechnet …</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>No preview</source>
      <translation>Keine Vorschau</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Preview with the previous settings</source>
      <translation>Vorschau mit den vorigen Einstellungen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>This is a preview, not the result of a run. Steps: {value}.</source>
      <translation>Dies ist eine Vorschau, nicht das Ergebnis eines Laufs. Schritte: {value}.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>The reconstructed image (V)</source>
      <translation>Das rekonstruierte Bild (V)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Projections</source>
      <translation>Projektionen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Measured data: one view and the sinogram of one row (P)</source>
      <translation>Messdaten: eine Ansicht und das Sinogramm einer Zeile (P)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Positions of source, detector and volume (G)</source>
      <translation>Lage von Quelle, Detektor und Volumen (G)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Planes</source>
      <translation>Ebenen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Slices of any orientation (S)</source>
      <translation>Schichten beliebiger Richtung (S)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Arrow keys: change candidate. In the large image, PgUp, PgDn or wheel: change candidate. Right button: window. Ctrl+wheel: zoom. Middle button: pan.</source>
      <translation>Pfeiltasten: Kandidat wechseln. Im großen Bild Bild auf, Bild ab oder Rad: Kandidat wechseln. Rechte Taste: Fensterung. Strg+Rad: Zoom. Mittlere Taste: Bild verschieben.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Reconstructing slices …</source>
      <translation>Schichten werden rekonstruiert …</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Reconstructing slices: {done} of {total}</source>
      <translation>Schichten werden rekonstruiert: {done} von {total}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Use this value</source>
      <translation>Diesen Wert verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Use this value: {words}</source>
      <translation>Diesen Wert verwenden: {words}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Try these values</source>
      <translation>Diese Werte probieren</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Reconstruct slices with these values</source>
      <translation>Schichten mit diesen Werten rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Refine around this value</source>
      <translation>Um diesen Wert verfeinern</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Use smaller steps around the selected value</source>
      <translation>Kleinere Schritte um den gewählten Wert</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Centre ({unit})</source>
      <translation>Mitte ({unit})</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Step ({unit})</source>
      <translation>Schritt ({unit})</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Number</source>
      <translation>Anzahl</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>sharpness {score:.2f} %</source>
      <translation>Schärfe {score:.2f} %</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>{score:.2f} % below zero</source>
      <translation>{score:.2f} % unter null</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>entropy {score:.3f} bits</source>
      <translation>Entropie {score:.3f} Bit</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>With the current settings, a run would use this value: {value}. Method: {method}.</source>
      <translation>Mit den aktuellen Einstellungen würde ein Lauf diesen Wert verwenden: {value}. Verfahren: {method}.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>★ Best value: {value}. Method: {method}.</source>
      <translation>★ Bester Wert: {value}. Verfahren: {method}.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>The scores hardly differ. Compare the slices by eye.</source>
      <translation>Die Werte unterscheiden sich kaum. Vergleichen Sie die Schichten mit dem Auge.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>The best value is at one end of the range. Try values beyond it.</source>
      <translation>Der beste Wert liegt am Rand des Bereichs. Probieren Sie auch Werte jenseits davon.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/protocol_row.py" />
      <source>Protocol of the study</source>
      <translation>Protokoll der Studie</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/protocol_row.py" />
      <source>Also for {n} more of this scanner</source>
      <translation>Auch für {n} weitere dieses Scanners</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Use this scanner</source>
      <translation>Diesen Scanner verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Use the complete events</source>
      <translation>Vollständige Ereignisse verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Enter the values …</source>
      <translation>Werte eingeben …</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Accept and reconstruct</source>
      <translation>Annehmen und rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Reconstruct anyway</source>
      <translation>Trotzdem rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Answer</source>
      <translation>Antwort</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Read again</source>
      <translation>Erneut lesen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Choose an answer in the list.</source>
      <translation>Wählen Sie eine Antwort in der Liste.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Choose another protocol below.</source>
      <translation>Wählen Sie unten ein anderes Protokoll.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Also for {n} more with this question</source>
      <translation>Auch für {n} weitere mit dieser Frage</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Choose an answer</source>
      <translation>Antwort wählen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Use {name}</source>
      <translation>{name} verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Use all of them</source>
      <translation>Alle verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/question_panel.py" />
      <source>Reconstruct without them</source>
      <translation>Ohne diese rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>The queue is empty. To add scans, drop them here or choose Add scans. To add the open study with its current settings, choose Run &gt; Add to queue. To add a study in a terminal, use the command isocenter queue add.</source>
      <translation>Die Warteschlange ist leer. Um Scans hinzuzufügen, ziehen Sie sie hierher oder wählen Sie Scans hinzufügen. Um die offene Studie mit ihren aktuellen Einstellungen hinzuzufügen, wählen Sie Lauf &gt; In die Warteschlange. In einem Terminal fügt der Befehl isocenter queue add eine Studie hinzu.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>One at a time</source>
      <translation>Eine auf einmal</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Two at a time</source>
      <translation>Zwei auf einmal</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Four at a time</source>
      <translation>Vier auf einmal</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>As many as memory allows</source>
      <translation>So viele, wie der Speicher zulässt</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Studies start in this order, even after you close this window or Isocenter.</source>
      <translation>Studien starten in dieser Reihenfolge, auch nachdem Sie dieses Fenster oder Isocenter geschlossen haben.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>The queue is paused. No new studies will start.</source>
      <translation>Die Warteschlange ist angehalten. Es starten keine neuen Studien.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Select a study in the list.</source>
      <translation>Wählen Sie eine Studie in der Liste.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Queue</source>
      <translation>Warteschlange</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Run the queue</source>
      <translation>Warteschlange laufen lassen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Parallel studies</source>
      <translation>Gleichzeitige Studien</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Studies run in parallel only if the memory that they are estimated to need is available</source>
      <translation>Studien laufen nur dann parallel, wenn ihr geschätzter Speicherbedarf frei ist</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Add scans …</source>
      <translation>Scans hinzufügen …</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Choose one or more scans for the queue</source>
      <translation>Einen oder mehrere Scans für die Warteschlange wählen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Add folder …</source>
      <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Add all scans in a folder to the queue</source>
      <translation>Alle Scans eines Ordners in die Warteschlange stellen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Scans read</source>
      <translation>Gelesene Scans</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Retry</source>
      <translation>Wiederholen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Clear finished</source>
      <translation>Fertige entfernen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Remove finished studies. Their images remain in the panel Results.</source>
      <translation>Beendete Studien entfernen. Ihre Bilder bleiben in der Tafel Ergebnisse.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Move up (Alt+Up)</source>
      <translation>Nach oben (Alt+Auf)</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Move down (Alt+Down)</source>
      <translation>Nach unten (Alt+Ab)</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>{number} at a time</source>
      <translation>{number} auf einmal</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>The queue cannot be read. {fault}</source>
      <translation>Die Warteschlange kann nicht gelesen werden. {fault}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Reading scan {n} of {total} …</source>
      <translation>Scan {n} von {total} wird gelesen …</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Pause the queue</source>
      <translation>Warteschlange anhalten</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Do not start any more studies. Running studies save a checkpoint.</source>
      <translation>Keine weiteren Studien starten. Laufende Studien speichern einen Sicherungspunkt.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Start the studies in this order</source>
      <translation>Die Studien in dieser Reihenfolge starten</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>The queue is empty.</source>
      <translation>Die Warteschlange ist leer.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>This study has ended.</source>
      <translation>Diese Studie ist beendet.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Put the study back in the queue</source>
      <translation>Die Studie wieder in die Warteschlange stellen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Pause the study and save a checkpoint</source>
      <translation>Die Studie anhalten und einen Sicherungspunkt speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>This study has not failed.</source>
      <translation>Diese Studie ist nicht fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Remove the study from the queue. Its results are kept. (Delete)</source>
      <translation>Die Studie aus der Warteschlange entfernen. Ihre Ergebnisse bleiben erhalten. (Entf)</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>No study has finished.</source>
      <translation>Keine Studie ist fertig.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>This study is already first.</source>
      <translation>Diese Studie ist schon die erste.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>This study is already last.</source>
      <translation>Diese Studie ist schon die letzte.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_list.py" />
      <source>Studies in the queue</source>
      <translation>Studien in der Warteschlange</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Pausing</source>
      <translation>Wird angehalten</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Stopping and returning to the queue</source>
      <translation>Wird beendet und wieder eingereiht</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Stopping and removing</source>
      <translation>Wird beendet und entfernt</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Which scanner recorded this scan?</source>
      <translation>Welcher Scanner hat diesen Scan aufgenommen?</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Use only the complete part of this scan?</source>
      <translation>Nur den vollständigen Teil dieses Scans verwenden?</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>The data have no description. Which geometry and direction of rotation apply?</source>
      <translation>Die Daten haben keine Beschreibung. Welche Geometrie und welche Drehrichtung gelten?</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>The file leaves a value open. Accept this assumption?</source>
      <translation>Die Datei lässt einen Wert offen. Diese Annahme übernehmen?</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>No protocol fits this scan. Choose another one, or reconstruct anyway.</source>
      <translation>Kein Protokoll passt zu diesem Scan. Wählen Sie ein anderes, oder rekonstruieren Sie trotzdem.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Do these files belong to this scan?</source>
      <translation>Gehören diese Dateien zu diesem Scan?</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>This scan cannot be read. Replace the file, and read it again.</source>
      <translation>Dieser Scan ist nicht lesbar. Ersetzen Sie die Datei, und lesen Sie sie erneut.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>The image is in the panel Results.</source>
      <translation>Das Bild ist in der Tafel Ergebnisse.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Failed</source>
      <translation>Fehlgeschlagen</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Question</source>
      <translation>Frage</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Paused: {text}</source>
      <translation>Angehalten: {text}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Paused; will continue from its checkpoint</source>
      <translation>Angehalten; wird vom Sicherungspunkt aus fortgesetzt</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Waiting to continue after its process ended unexpectedly</source>
      <translation>Wartet auf Fortsetzung, nachdem ihr Prozess unerwartet beendet wurde</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Waiting to continue from its checkpoint</source>
      <translation>Wartet auf Fortsetzung vom Sicherungspunkt</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Waiting</source>
      <translation>Wartet</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Added {local:%A, %d %B %Y %H:%M}, for {device}</source>
      <translation>Hinzugefügt {local:%d.%m.%Y %H:%M}, für {device}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Also saved to {output}</source>
      <translation>Auch gespeichert in {output}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>took {duration}</source>
      <translation>Dauer {duration}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/algorithm_step.py" />
      <source>Expert settings</source>
      <translation>Experteneinstellungen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/algorithm_step.py" />
      <source>Show settings that are rarely changed</source>
      <translation>Selten geänderte Einstellungen zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>The image is reconstructed from the scan without attenuation correction. The lines show the outlines of the body, lungs and bones in {name}. They should match the image.</source>
      <translation>Das Bild wurde aus dem Scan ohne Schwächungskorrektur rekonstruiert. Die Linien zeigen die Umrisse von Körper, Lungen und Knochen in {name}. Sie sollten zum Bild passen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Drag the lines to shift the map. Wheel or PgUp, PgDn: change slice. Right button: window. Ctrl+wheel: zoom. Middle button: pan.</source>
      <translation>Ziehen Sie die Linien, um die Karte zu verschieben. Rad oder Bild auf, Bild ab: Schicht wechseln. Rechte Taste: Fensterung. Strg+Rad: Zoom. Mittlere Taste: Bild verschieben.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>HDF5 (*.h5);;NIfTI (*.nii.gz *.nii)</source>
      <translation>HDF5 (*.h5);;NIfTI (*.nii.gz *.nii)</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Align: {title}</source>
      <translation>Ausrichten: {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Registered</source>
      <translation>Registriert</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Position from image registration</source>
      <translation>Lage nach der Bildregistrierung</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>As in the file</source>
      <translation>Wie in der Datei</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Original position of the map</source>
      <translation>Ursprüngliche Lage der Karte</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Save and use …</source>
      <translation>Speichern und verwenden …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>The map could not be moved.</source>
      <translation>Die Karte konnte nicht verschoben werden.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Save the aligned map</source>
      <translation>Die ausgerichtete Karte speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Search again</source>
      <translation>Noch einmal suchen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Candidates …</source>
      <translation>Kandidaten …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Compare slices for several values and choose one</source>
      <translation>Schichten mit mehreren Werten vergleichen und einen wählen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Candidates: {kind}</source>
      <translation>Kandidaten: {kind}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Align …</source>
      <translation>Ausrichten …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Check that this map matches the body in the scan: {title}</source>
      <translation>Prüfen, ob diese Karte zum Körper im Scan passt: {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Show</source>
      <translation>Zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Overlay the map on the image, or show its coverage if there is no image yet</source>
      <translation>Die Karte über das Bild legen, oder den abgedeckten Bereich zeigen, solange es kein Bild gibt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>none applied yet</source>
      <translation>noch keine angewendet</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>From {value}</source>
      <translation>Aus {value}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>{} describes a file with the same datasets. Was the scanner set up in the same way?</source>
      <translation>{} beschreibt eine Datei mit denselben Datensätzen. War der Scanner gleich eingerichtet?</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>Use this description</source>
      <translation>Diese Beschreibung verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>Datasets in the file</source>
      <translation>Datensätze in der Datei</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>Role of {name}</source>
      <translation>Rolle von {name}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>Middle slice of {name}</source>
      <translation>Mittlere Schicht von {name}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Weight [kg]</source>
      <translation>Gewicht [kg]</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Dose [MBq]</source>
      <translation>Dosis [MBq]</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Injected</source>
      <translation>Injektion</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Body weight in kg, for SUV</source>
      <translation>Körpergewicht in kg, für SUV</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Activity at the time of injection in MBq, for SUV</source>
      <translation>Aktivität zum Zeitpunkt der Injektion in MBq, für SUV</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Date and time of injection, for example 2026-11-22 10:05</source>
      <translation>Datum und Uhrzeit der Injektion, zum Beispiel 2026-11-22 10:05</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>weight</source>
      <translation>Gewicht</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>dose</source>
      <translation>Dosis</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>time of injection</source>
      <translation>Zeit der Injektion</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>start of the scan</source>
      <translation>Beginn des Scans</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>nuclide</source>
      <translation>Nuklid</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>length of the frame</source>
      <translation>Dauer des Zeitabschnitts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>The image will be in SUV by body weight, decay-corrected to the start of the scan.</source>
      <translation>Das Bild zeigt SUV nach Körpergewicht, zerfallskorrigiert auf den Beginn des Scans.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>The image will be in SUV by body weight, decay-corrected to the time of injection.</source>
      <translation>Das Bild zeigt SUV nach Körpergewicht, zerfallskorrigiert auf die Zeit der Injektion.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>Missing for SUV: {value}.</source>
      <translation>Für SUV fehlt: {value}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>These values apply to the next run. The image shown keeps its own: {others}.</source>
      <translation>Diese Werte gelten für den nächsten Lauf. Das angezeigte Bild behält seine eigenen: {others}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>The dose could not be saved.</source>
      <translation>Die Dosis konnte nicht gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>{mbq} MBq of {nuclide}</source>
      <translation>{mbq} MBq {nuclide}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>{mbq} MBq</source>
      <translation>{mbq} MBq</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>injected {minutes} min before the scan began</source>
      <translation>injiziert {minutes} min vor Beginn des Scans</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>injected {minutes} min after the scan began</source>
      <translation>injiziert {minutes} min nach Beginn des Scans</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>{weight:g} kg</source>
      <translation>{weight:g} kg</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dose_row.py" />
      <source>calibration of the scanner</source>
      <translation>Kalibrierung des Scanners</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/finishing_step.py" />
      <source>Use the iteration slider to see the unfiltered iterations.</source>
      <translation>Der Iterationsregler zeigt weiterhin die ungefilterten Iterationen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/finishing_step.py" />
      <source>error map from {n} replicates</source>
      <translation>Fehlerkarte aus {n} Wiederholungen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/folded_warnings.py" />
      <source>1 warning</source>
      <translation>1 Warnung</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/folded_warnings.py" />
      <source>{n} warnings</source>
      <translation>{n} Warnungen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/folded_warnings.py" />
      <source>Show or hide the warnings</source>
      <translation>Warnungen zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/folded_warnings.py" />
      <source>Load file: {title} …</source>
      <translation>Datei laden: {title} …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>{name} lacks information needed for a reconstruction. Values found in its files are shown in grey on the left. Correct any wrong values and enter the missing ones.</source>
      <translation>{name} fehlen Angaben, die eine Rekonstruktion braucht. Werte aus den Dateien stehen links in Grau. Korrigieren Sie falsche Werte, und ergänzen Sie fehlende.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>counter-clockwise</source>
      <translation>gegen den Uhrzeigersinn</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source counter-clockwise, columns to the right</source>
      <translation>Quelle gegen den Uhrzeigersinn, Spalten nach rechts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>clockwise</source>
      <translation>im Uhrzeigersinn</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source clockwise, columns to the right</source>
      <translation>Quelle im Uhrzeigersinn, Spalten nach rechts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>counter-clockwise, mirrored</source>
      <translation>gegen den Uhrzeigersinn, gespiegelt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source counter-clockwise, columns to the left</source>
      <translation>Quelle gegen den Uhrzeigersinn, Spalten nach links</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>clockwise, mirrored</source>
      <translation>im Uhrzeigersinn, gespiegelt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source clockwise, columns to the left</source>
      <translation>Quelle im Uhrzeigersinn, Spalten nach links</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Which slice is sharp and not mirrored? A single image does not show the direction of rotation.</source>
      <translation>Welche Schicht ist scharf und nicht gespiegelt? Ein einzelnes Bild zeigt die Drehrichtung nicht.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Import {name}</source>
      <translation>{name} importieren</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Sinogram of the middle row</source>
      <translation>Sinogramm der mittleren Zeile</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Middle slice</source>
      <translation>Mittlere Schicht</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>File name for the description</source>
      <translation>Dateiname für die Beschreibung</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Save and add to queue</source>
      <translation>Speichern und in die Warteschlange</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Save and open</source>
      <translation>Speichern und öffnen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Save as</source>
      <translation>Speichern als</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_fields.py" />
      <source>Required</source>
      <translation>Erforderlich</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_fields.py" />
      <source>from the files</source>
      <translation>aus den Dateien</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/input_row.py" />
      <source>Use this file for every scan from this scanner that you open from now on. Scans from other scanners are not affected. Clear the box to stop.</source>
      <translation>Diese Datei für jeden Scan dieses Scanners verwenden, den Sie von jetzt an öffnen. Scans anderer Scanner sind nicht betroffen. Entfernen Sie das Häkchen, um das zu beenden.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/input_row.py" />
      <source>Use this scanner for every scan in this format that you open from now on. Clear the box to stop.</source>
      <translation>Diesen Scanner für jeden Scan in diesem Format verwenden, den Sie von jetzt an öffnen. Entfernen Sie das Häkchen, um das zu beenden.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/input_row.py" />
      <source>Clear: {title}</source>
      <translation>Leeren: {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/input_row.py" />
      <source>Replace …</source>
      <translation>Ersetzen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/input_row.py" />
      <source>reading …</source>
      <translation>wird gelesen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/inputs_step.py" />
      <source>Inputs</source>
      <translation>Eingaben</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/inputs_step.py" />
      <source>1 missing</source>
      <translation>1 fehlt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/inputs_step.py" />
      <source>{n} missing</source>
      <translation>{n} fehlen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/inputs_step.py" />
      <source>none needed</source>
      <translation>keine nötig</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/inputs_step.py" />
      <source>Fill in …</source>
      <translation>Ausfüllen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Settings: {title}</source>
      <translation>Einstellungen: {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Show or hide the settings for this step</source>
      <translation>Die Einstellungen für diesen Schritt zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Use: {title}</source>
      <translation>Verwenden: {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Switched off in the protocol</source>
      <translation>Im Protokoll ausgeschaltet</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>{sentence} This correction is set to 'on' but cannot be applied. To continue without it, switch it off.</source>
      <translation>{sentence} Diese Korrektur steht auf „Ein“, kann aber nicht angewendet werden. Um ohne sie fortzufahren, schalten Sie sie aus.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Will be applied. It was not applied in the last run. {text}</source>
      <translation>Wird angewandt. Im letzten Lauf wurde sie nicht angewandt. {text}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Will be applied</source>
      <translation>Wird angewendet</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Determined after a scan is opened</source>
      <translation>Wird bestimmt, nachdem ein Scan geöffnet ist</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/motion_row.py" />
      <source>Shift</source>
      <translation>Verschiebung</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>Quality</source>
      <translation>Qualität</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>Current study, not saved</source>
      <translation>Aktuelle Studie, nicht gespeichert</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>Note</source>
      <translation>Hinweis</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>{now} (was {then})</source>
      <translation>{now} (war {then})</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Version</source>
      <translation>Version</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Protocols (*.toml)</source>
      <translation>Protokolle (*.toml)</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Use</source>
      <translation>Verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Save changes …</source>
      <translation>Änderungen speichern …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>New from this study …</source>
      <translation>Neu aus dieser Studie …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Rename …</source>
      <translation>Umbenennen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Lock</source>
      <translation>Sperren</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Share …</source>
      <translation>Teilen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Skipped: {each}</source>
      <translation>Übersprungen: {each}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Select a protocol in the list.</source>
      <translation>Wählen Sie ein Protokoll in der Liste.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>The settings of the study have not changed.</source>
      <translation>Die Einstellungen der Studie sind unverändert.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Changes can be saved only to the protocol in use.</source>
      <translation>Änderungen lassen sich nur im verwendeten Protokoll speichern.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Use this protocol for the current study</source>
      <translation>Dieses Protokoll für die aktuelle Studie verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Save the changes as the next version</source>
      <translation>Die Änderungen als nächste Version speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Save the settings of the study as a new protocol</source>
      <translation>Die Einstellungen der Studie als neues Protokoll speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Rename the protocol and save it as the next version</source>
      <translation>Das Protokoll umbenennen und als nächste Version speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>A locked protocol cannot be changed, renamed or deleted</source>
      <translation>Ein gesperrtes Protokoll lässt sich nicht ändern, umbenennen oder löschen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Delete the protocol. Its last version stays in the folder for earlier versions.</source>
      <translation>Das Protokoll löschen. Die letzte Version bleibt im Ordner für frühere Versionen erhalten.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Save the protocol as a file for other users</source>
      <translation>Das Protokoll als Datei für andere speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Add a protocol from a shared file</source>
      <translation>Ein Protokoll aus einer geteilten Datei hinzufügen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>New protocol</source>
      <translation>Neues Protokoll</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Rename</source>
      <translation>Umbenennen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Delete {name!r}, version {revision}? Its file stays in the folder for earlier versions.</source>
      <translation>{name!r}, Version {revision}, löschen? Die Datei bleibt im Ordner für frühere Versionen erhalten.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Delete this protocol?</source>
      <translation>Dieses Protokoll löschen?</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Share a protocol</source>
      <translation>Protokoll teilen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Import a protocol</source>
      <translation>Protokoll importieren</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>{name} was added to your protocols.</source>
      <translation>{name} wurde zu Ihren Protokollen hinzugefügt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>The protocols were not changed.</source>
      <translation>Die Protokolle wurden nicht geändert.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/saving_protocols.py" />
      <source>Save as the next version</source>
      <translation>Als nächste Version speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/saving_protocols.py" />
      <source>{name!r} already exists (version {revision}). Save these settings as version {next_one}? The previous version is kept.</source>
      <translation>{name!r} gibt es schon (Version {revision}). Diese Einstellungen als Version {next_one} speichern? Die vorige Version bleibt erhalten.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_drawing.py" />
      <source>no scanner</source>
      <translation>kein Scanner</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_drawing.py" />
      <source>Ø {diameter_mm:.0f} mm</source>
      <translation>Ø {diameter_mm:.0f} mm</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_drawing.py" />
      <source>{length:.0f} mm long</source>
      <translation>{length:.0f} mm lang</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_row.py" />
      <source>From the scan</source>
      <translation>Aus dem Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_row.py" />
      <source>Use for all scans in this format</source>
      <translation>Für alle Scans in diesem Format verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>Reset to the value in {name!r}: {then}</source>
      <translation>Auf den Wert in {name!r} zurücksetzen: {then}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>{label}: reset to {then}</source>
      <translation>{label}: auf {then} zurücksetzen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>{label}: {now} (was {then})</source>
      <translation>{label}: {now} (war {then})</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>Reset all</source>
      <translation>Alle zurücksetzen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>Reset all settings in this step to the values in the saved protocol</source>
      <translation>Alle Einstellungen dieses Schritts auf die Werte des gespeicherten Protokolls zurücksetzen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>and {more} more</source>
      <translation>und {more} weitere</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>The setting was not changed.</source>
      <translation>Die Einstellung wurde nicht geändert.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>ok</source>
      <translation>ok</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>warning</source>
      <translation>Warnung</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>note</source>
      <translation>Hinweis</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>missing</source>
      <translation>fehlt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>error</source>
      <translation>Fehler</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>Less</source>
      <translation>Weniger</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>Close this step</source>
      <translation>Diesen Schritt schließen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>Open this step</source>
      <translation>Diesen Schritt öffnen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Open a scan or drop it on the window: list-mode data, a histogram or X-ray projections.</source>
      <translation>Öffnen Sie einen Scan, oder ziehen Sie ihn auf das Fenster: List-Mode-Daten, ein Histogramm oder Röntgenprojektionen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>1 warning about this scan</source>
      <translation>1 Warnung zu diesem Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>{n} warnings about this scan</source>
      <translation>{n} Warnungen zu diesem Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Patient: {patient}.</source>
      <translation>Patient: {patient}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Open another scan …</source>
      <translation>Anderen Scan öffnen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Choose a scan (Ctrl+O)</source>
      <translation>Scan wählen (Strg+O)</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>no scan yet</source>
      <translation>noch kein Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_binding.py" />
      <source>The tracer file has no fingerprint of this scan, so check that it is for this patient.</source>
      <translation>Die Tracerdatei hat keinen Fingerabdruck dieses Scans. Prüfen Sie deshalb, ob sie für diesen Patienten ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_binding.py" />
      <source>{name}: the program cannot tell this scan from another one, so it does not save a dose for it. Open the scan again.</source>
      <translation>{name}: Das Programm kann diesen Scan nicht von einem anderen unterscheiden und speichert deshalb keine Dosis dafür. Öffnen Sie den Scan erneut.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Tracer files (*.toml)</source>
      <translation>Tracerdateien (*.toml)</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Enter the nuclide, dose, times and body measurements for {scan}. Empty fields use the values stored in the scan. The values apply only to this scan. They are no longer used when you open another scan.</source>
      <translation>Geben Sie Nuklid, Dosis, Zeiten und Körpermaße für {scan} ein. Für leere Felder gelten die Werte im Scan. Die Eingaben gelten nur für diesen Scan. Sie werden nicht mehr verwendet, sobald Sie einen anderen Scan öffnen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>For Bq/mL, also add a calibration in the card Inputs.</source>
      <translation>Für Bq/mL fügen Sie in der Karte Eingaben auch eine Kalibrierung hinzu.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Bq/mL: all required values are known.</source>
      <translation>Bq/mL: Alle nötigen Werte sind bekannt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Bq/mL is not available yet.</source>
      <translation>Bq/mL ist noch nicht verfügbar.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>SUV is not available yet.</source>
      <translation>SUV ist noch nicht verfügbar.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Tracer and dose</source>
      <translation>Tracer und Dosis</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>No dose information yet.</source>
      <translation>Noch keine Angaben zur Dosis.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Save tracer and dose</source>
      <translation>Tracer und Dosis speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Available: {value}.</source>
      <translation>Verfügbar: {value}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Not available yet: {value}.</source>
      <translation>Noch nicht verfügbar: {value}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>no grid</source>
      <translation>kein Gitter</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>The voxel grid is set from the scanner once the scanner is known.</source>
      <translation>Das Voxelgitter wird aus dem Scanner bestimmt, sobald dieser bekannt ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>The voxel grid is set from the scan once a scan is open.</source>
      <translation>Das Voxelgitter wird aus dem Scan bestimmt, sobald ein Scan geöffnet ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>from the scanner</source>
      <translation>aus dem Scanner</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>from the scan</source>
      <translation>aus dem Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>The volume may be too large for this computer. {describe}</source>
      <translation>Das Volumen ist vielleicht zu groß für diesen Rechner. {describe}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>The volume is too large for this computer. {describe}</source>
      <translation>Das Volumen ist zu groß für diesen Rechner. {describe}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>{value:.5g}, from the scanner</source>
      <translation>{value:.5g}, aus dem Scanner</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>{value:.5g}, from the scan</source>
      <translation>{value:.5g}, aus dem Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Scheduled</source>
      <translation>Geplant</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Patient</source>
      <translation>Patient</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Patient ID</source>
      <translation>Patientennummer</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Date of birth</source>
      <translation>Geburtsdatum</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Modality</source>
      <translation>Modalität</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Procedure</source>
      <translation>Untersuchung</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Accession</source>
      <translation>Auftragsnummer</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Orders</source>
      <translation>Aufträge</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_dialog.py" />
      <source>Studies</source>
      <translation>Studien</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_dialog.py" />
      <source>Worklist</source>
      <translation>Arbeitsliste</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>This study has no image yet.</source>
      <translation>Diese Studie hat noch kein Bild.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Searching for studies …</source>
      <translation>Studien werden gesucht …</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Patient, patient ID, scan, protocol, date</source>
      <translation>Patient, Patientennummer, Scan, Protokoll, Tag</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Search</source>
      <translation>Suchen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Show studies that contain all of these words</source>
      <translation>Studien zeigen, die alle diese Wörter enthalten</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Filter the studies by state</source>
      <translation>Studien nach Stand filtern</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>The studies could not be listed.</source>
      <translation>Die Studien konnten nicht aufgelistet werden.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>{shown:,} of {total:,} shown, {on_disk} on disk</source>
      <translation>{shown:,} von {total:,} gezeigt, {on_disk} auf der Festplatte</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>No studies yet. Every finished image is listed here with its patient.</source>
      <translation>Noch keine Studien. Hier steht jedes fertige Bild mit seinem Patienten.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Show the queue</source>
      <translation>Warteschlange zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Open the study (Return)</source>
      <translation>Die Studie öffnen (Eingabetaste)</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Show the image files in the file manager</source>
      <translation>Die Bilddateien im Dateimanager zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Delete the image of this study from the disk</source>
      <translation>Das Bild dieser Studie vom Datenträger löschen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Delete {scan}, {protocol}, {when:%d %b %Y %H:%M} from the disk?</source>
      <translation>{scan}, {protocol}, {when:%d.%m.%Y %H:%M} vom Datenträger löschen?</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Sign-off: {standing}.</source>
      <translation>Freigabe: {standing}.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_table.py" />
      <source>State</source>
      <translation>Stand</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_table.py" />
      <source>Date</source>
      <translation>Datum</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Signed off</source>
      <translation>Freigegeben</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Ended early</source>
      <translation>Früher beendet</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>All studies</source>
      <translation>Alle Studien</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Not signed off</source>
      <translation>Nicht freigegeben</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Neither exported nor signed off</source>
      <translation>Weder exportiert noch freigegeben</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Running and waiting</source>
      <translation>Laufende und wartende</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Needs attention</source>
      <translation>Zu prüfen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>accession {number}</source>
      <translation>Auftragsnummer {number}</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Today</source>
      <translation>Heute</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Yesterday</source>
      <translation>Gestern</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>The next seven days</source>
      <translation>Die nächsten sieben Tage</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>All days</source>
      <translation>Alle Tage</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>PET</source>
      <translation>PET</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>CT</source>
      <translation>CT</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>All modalities</source>
      <translation>Alle Modalitäten</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>No worklist is configured. Add the worklist node as HOST:PORT in the settings.</source>
      <translation>Es ist keine Arbeitsliste eingerichtet. Tragen Sie den Knoten der Arbeitsliste als HOST:PORT in den Einstellungen ein.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Query the worklist, then choose the patient for the scan.</source>
      <translation>Fragen Sie die Arbeitsliste ab, und wählen Sie dann den Patienten für den Scan.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Select an order in the list.</source>
      <translation>Wählen Sie einen Auftrag in der Liste.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Name (* matches any characters)</source>
      <translation>Name (* steht für beliebige Zeichen)</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Days</source>
      <translation>Tage</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Scheduled dates</source>
      <translation>Geplante Tage</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Modality of the order</source>
      <translation>Modalität des Auftrags</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Leave blank for all patients</source>
      <translation>Leer lassen für alle Patienten</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Query</source>
      <translation>Abfragen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Assign to scan</source>
      <translation>Dem Scan zuordnen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Remove the patient from the open scan</source>
      <translation>Die Zuordnung des Patienten zum offenen Scan entfernen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Querying {node} …</source>
      <translation>{node} wird abgefragt …</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>1 order.</source>
      <translation>1 Auftrag.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>{n:,} orders.</source>
      <translation>{n:,} Aufträge.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Query the worklist (Return)</source>
      <translation>Die Arbeitsliste abfragen (Eingabetaste)</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>The open scan belongs to {subject}.</source>
      <translation>Der offene Scan gehört zu {subject}.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>No patient is assigned to the open scan.</source>
      <translation>Dem offenen Scan ist kein Patient zugeordnet.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>DICOM files will be written for this patient until you open another scan</source>
      <translation>DICOM-Dateien werden für diesen Patienten geschrieben, bis Sie einen anderen Scan öffnen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>CGLS</source>
      <translation>CGLS</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Stop at noise level</source>
      <translation>Beim Rauschniveau beenden</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Stop when the residual reaches the noise level, because further iterations would only fit noise. With noise-free data, all iterations are run</source>
      <translation>Beenden, sobald das Residuum das Rauschniveau erreicht, weil weitere Iterationen nur noch Rauschen anpassen würden. Mit rauschfreien Daten laufen alle Iterationen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Damping</source>
      <translation>Dämpfung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Weight of the Tikhonov penalty relative to the data term, √τ / ‖A‖; 0: no damping</source>
      <translation>Gewicht des Tikhonov-Strafterms relativ zum Datenterm, √τ / ‖A‖; 0: keine Dämpfung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fdk.py" />
      <source>Filtered back projection (FDK)</source>
      <translation>Gefilterte Rückprojektion (FDK)</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Number of passes over all data</source>
      <translation>Zahl der Durchgänge durch alle Daten</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Set negative values to zero</source>
      <translation>Negative Werte auf null setzen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Non-negative</source>
      <translation>Nicht negativ</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Upper limit for the voxel values</source>
      <translation>Obergrenze für die Voxelwerte</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Largest value</source>
      <translation>Größter Wert</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>FISTA-TV</source>
      <translation>FISTA-TV</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>Smoothing</source>
      <translation>Glättung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>Strength of the total variation penalty, relative to the value estimated from the noise</source>
      <translation>Stärke der totalen Variation, relativ zum Wert, der aus dem Rauschen geschätzt wird</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>Inner steps</source>
      <translation>Innere Schritte</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>Number of total variation steps in each pass</source>
      <translation>Zahl der Schritte der totalen Variation je Durchgang</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>BSREM</source>
      <translation>BSREM</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Smoothness</source>
      <translation>Glättung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Balance between noise and detail: smooth gives less noise, sharp shows finer detail. The number is the weight of the prior for an image with one count per voxel; the weight decreases as counts increase and as more voxels share each count</source>
      <translation>Abwägung zwischen Rauschen und Details: glatt ergibt weniger Rauschen, scharf zeigt feinere Details. Die Zahl ist das Gewicht des Priors für ein Bild mit einem Zählereignis je Voxel; das Gewicht nimmt ab, je mehr Zählereignisse es gibt und je mehr Voxel sich ein Ereignis teilen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Strength</source>
      <translation>Stärke</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>set by the smoothness</source>
      <translation>durch die Glättung bestimmt</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Weight of the prior relative to the data. If empty, it is calculated from the smoothness: 0.2 (smooth), 0.1 (standard) or 0.05 (sharp), divided by (counts per voxel)^0.75 and multiplied by (16 / voxels that share a count)^0.25</source>
      <translation>Gewicht des Priors im Verhältnis zu den Daten. Wenn leer, wird es aus der Glättung berechnet: 0,2 (glatt), 0,1 (standard) oder 0,05 (scharf), geteilt durch (Zählereignisse je Voxel)^0,75 und multipliziert mit (16 / Voxel, die sich ein Ereignis teilen)^0,25</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Edge preservation</source>
      <translation>Kantenerhaltung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Edge preservation γ of the relative difference prior; 0: no edge preservation</source>
      <translation>Kantenerhaltung γ des relativen Differenzpriors; 0: keine Kantenerhaltung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Prior</source>
      <translation>Prior</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Penalty of differences between neighbouring voxels</source>
      <translation>Strafterm für Unterschiede zwischen benachbarten Voxeln</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Maximum iterations</source>
      <translation>Maximale Iterationen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Maximum number of iterations, each with three passes over all data. The run ends earlier if the regions and the objective no longer change</source>
      <translation>Maximale Zahl der Iterationen, jede mit drei Durchläufen durch alle Daten. Die Rekonstruktion endet früher, wenn sich die Regionen und die Zielfunktion nicht mehr ändern</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Subsets</source>
      <translation>Teilmengen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Number of subsets of the data; if empty, it depends on the number of counts</source>
      <translation>Zahl der Teilmengen der Daten; wenn leer, richtet sie sich nach der Zahl der Zählereignisse</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Number of updates in each pass</source>
      <translation>Zahl der Aktualisierungen in jedem Durchlauf</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Step</source>
      <translation>Schritt</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Step length α of the first pass</source>
      <translation>Schrittlänge α des ersten Durchlaufs</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Decay</source>
      <translation>Abnahme</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/map_algorithms.py" />
      <source>Reduction η of the step length per pass</source>
      <translation>Verringerung η der Schrittlänge je Durchlauf</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Number of passes over all data; if empty, it is calculated from the number of updates</source>
      <translation>Zahl der Durchgänge durch alle Daten; wenn leer, wird sie aus der Zahl der Aktualisierungen berechnet</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Number of updates in each pass (1 is MLEM); if empty, it depends on the number of counts</source>
      <translation>Zahl der Aktualisierungen je Durchgang (1 ist MLEM); wenn leer, richtet sie sich nach der Zahl der Zählereignisse</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Updates</source>
      <translation>Aktualisierungen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Total number of updates (iterations × subsets), used if iterations or subsets are empty. It is rounded up to a multiple of the number of subsets. If empty, the automatic settings choose it for the scan; without them, it is 24</source>
      <translation>Gesamtzahl der Aktualisierungen (Iterationen × Teilmengen), verwendet, wenn Iterationen oder Teilmengen leer sind. Sie wird auf ein Vielfaches der Zahl der Teilmengen aufgerundet. Wenn leer, wählen die automatischen Einstellungen sie nach dem Scan; ohne sie ist sie 24</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Always 1, because each update uses all data</source>
      <translation>Immer 1, weil jede Aktualisierung alle Daten verwendet</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/prior_choices.py" />
      <source>Relative difference</source>
      <translation>Relative Differenz</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/prior_choices.py" />
      <source>Quadratic</source>
      <translation>Quadratisch</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/prior_choices.py" />
      <source>Huber</source>
      <translation>Huber</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/prior_choices.py" />
      <source>Edge</source>
      <translation>Kante</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/prior_choices.py" />
      <source>Difference δ from which neighbours are an edge, relative to the typical activity</source>
      <translation>Unterschied δ, ab dem Nachbarn als Kante gelten, relativ zur typischen Aktivität</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>SIRT</source>
      <translation>SIRT</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>Number of updates in each pass; 1 is plain SIRT</source>
      <translation>Zahl der Aktualisierungen je Durchgang; 1 ist einfaches SIRT</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>Relaxation</source>
      <translation>Relaxation</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>Step length; with values below 1, images converge more slowly and are smoother</source>
      <translation>Schrittweite; mit Werten unter 1 konvergieren Bilder langsamer und sind glatter</translation>
    </message>
    <message>
      <location filename="engine/corrections/base.py" />
      <source>Apply</source>
      <translation>Anwenden</translation>
    </message>
    <message>
      <location filename="engine/corrections/base.py" />
      <source>Apply this correction if possible (auto), always (on) or never (off)</source>
      <translation>Diese Korrektur anwenden: wenn möglich (auto), immer (on) oder nie (off)</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Decay-corrected to</source>
      <translation>Zerfallskorrigiert auf</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Time to which the activity is decay-corrected</source>
      <translation>Zeitpunkt, auf den die Aktivität zerfallskorrigiert wird</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Method</source>
      <translation>Verfahren</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Add the expected randoms to the model, or subtract the delayeds from the prompts and set negative counts to zero</source>
      <translation>Erwartete Zufallskoinzidenzen im Modell addieren, oder die Verzögerten von den Prompts abziehen und negative Werte auf null setzen</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Rounds</source>
      <translation>Runden</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Number of scatter simulations; each one uses the image corrected with the previous result</source>
      <translation>Zahl der Streusimulationen; jede verwendet das Bild, das mit dem vorigen Ergebnis korrigiert wurde</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/bad_pixels.py" />
      <source>Outlier threshold</source>
      <translation>Schwelle für Ausreißer</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/bad_pixels.py" />
      <source>A pixel is an outlier if it differs from its neighbours by more than this threshold, given as a fraction of the transmission or as an absolute difference of line integrals</source>
      <translation>Ein Pixel ist ein Ausreißer, wenn es um mehr als diesen Schwellenwert von seinen Nachbarn abweicht. Er ist ein Anteil der Transmission oder eine absolute Differenz von Linienintegralen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/binning.py" />
      <source>Pixels</source>
      <translation>Pixel</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/binning.py" />
      <source>Number of pixels to average along each axis</source>
      <translation>Zahl der Pixel, über die entlang jeder Achse gemittelt wird</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/binning.py" />
      <source>Number of neighbouring views to average</source>
      <translation>Zahl der benachbarten Ansichten, über die gemittelt wird</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/crop.py" />
      <source>Range of rows to keep: the first row, and the first row after the range</source>
      <translation>Bereich der Zeilen, die bleiben: die erste Zeile und die erste Zeile nach dem Bereich</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/crop.py" />
      <source>Range of columns to keep: the first column, and the first column after the range</source>
      <translation>Bereich der Spalten, die bleiben: die erste Spalte und die erste Spalte nach dem Bereich</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Flat fields taken at several times: interpolate between them, or use their mean</source>
      <translation>Zu mehreren Zeitpunkten aufgenommene Hellbilder: dazwischen interpolieren oder ihr Mittel verwenden</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Open-beam counts, for a scan without flat fields</source>
      <translation>Zählwerte des offenen Strahls, für einen Scan ohne Hellbilder</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Detector edge that sees only air; it is used to correct source drift</source>
      <translation>Detektorrand, der nur Luft sieht; mit ihm wird das Driften der Quelle korrigiert</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Width of the detector edge that sees only air</source>
      <translation>Breite des Detektorrands, der nur Luft sieht</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Counts at which a pixel is saturated; if empty, the full scale of an 8- to 16-bit detector</source>
      <translation>Zählwert, ab dem ein Pixel gesättigt ist; wenn leer, der Vollausschlag eines Detektors mit 8 bis 16 Bit</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hardening.py" />
      <source>Source of coefficients</source>
      <translation>Quelle der Koeffizienten</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hardening.py" />
      <source>Use the coefficients below, or fit them to this scan of a single-material object so that it becomes uniform</source>
      <translation>Die Koeffizienten unten verwenden, oder sie an diesen Scan eines Objekts aus einem Material anpassen, sodass es gleichmäßig wird</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hardening.py" />
      <source>Polynomial coefficients (p, p², p³, ...) that correct the line integral p; fit them to a uniform object or a step wedge</source>
      <translation>Polynomkoeffizienten (p, p², p³, ...), die das Linienintegral p korrigieren; an einem gleichförmigen Objekt oder einem Stufenkeil anzupassen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>CT numbers</source>
      <translation>CT-Zahlen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Use the given values for water and air, or measure both at the peaks of the image histogram; soft tissue counts as water</source>
      <translation>Die angegebenen Werte für Wasser und Luft verwenden, oder beide an den Spitzen des Bildhistogramms messen; Weichteile zählen als Wasser</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Water</source>
      <translation>Wasser</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Attenuation coefficient of water for this beam, preferably measured in a scan of water</source>
      <translation>Schwächungskoeffizient von Wasser für diesen Strahl, am besten in einem Scan von Wasser gemessen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Air</source>
      <translation>Luft</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Attenuation coefficient of air</source>
      <translation>Schwächungskoeffizient von Luft</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/logarithm.py" />
      <source>Minimum transmission</source>
      <translation>Kleinste Transmission</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/logarithm.py" />
      <source>Smaller transmissions are raised to this value to keep the logarithm finite</source>
      <translation>Kleinere Transmissionen werden auf diesen Wert angehoben, damit der Logarithmus endlich bleibt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>auto: repair columns with a stripe, and equalise all columns of a row if every column has one. all: equalise the columns of every row. found: repair only stripes that differ from their neighbours. sorted: equalise values of the same rank, for stripes that change with brightness; this reduces sharpness</source>
      <translation>auto: Spalten mit einem Streifen reparieren und alle Spalten einer Zeile angleichen, wenn alle einen haben. all: die Spalten jeder Zeile angleichen. found: nur Streifen reparieren, die sich von ihren Nachbarn abheben. sorted: Werte gleichen Rangs angleichen, für Streifen, die sich mit der Helligkeit ändern; das kostet Schärfe</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Stripe-to-noise ratio</source>
      <translation>Streifen-Rausch-Verhältnis</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>A stripe is removed if it exceeds the noise of its column mean by this factor</source>
      <translation>Ein Streifen wird entfernt, wenn er das Rauschen seines Spaltenmittels um diesen Faktor übersteigt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Width</source>
      <translation>Breite</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Stripes are removed up to this width</source>
      <translation>Streifen werden bis zu dieser Breite entfernt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Bands</source>
      <translation>Bänder</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Bands with two sharp edges are removed up to this width; 0: no bands are removed</source>
      <translation>Bänder mit zwei scharfen Kanten werden bis zu dieser Breite entfernt; 0: keine Bänder werden entfernt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rotation_axis.py" />
      <source>Detector column of the rotation axis, counted from 0; if empty, it is determined from the scan</source>
      <translation>Detektorspalte der Drehachse, ab 0 gezählt; wenn leer, wird sie aus dem Scan bestimmt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rotation_axis.py" />
      <source>Search method for parallel beams. auto: opposite rays for a full rotation, the sinogram spectrum for half a rotation. Other methods: first moment, or opposite views. For cone beams, rays that are measured twice are always used</source>
      <translation>Suchverfahren für parallele Strahlen. auto: gegenläufige Strahlen bei einer ganzen Umdrehung, das Spektrum des Sinogramms bei einer halben. Weitere Verfahren: erstes Moment oder gegenüberliegende Ansichten. Für Kegelstrahlen werden immer doppelt gemessene Strahlen verwendet</translation>
    </message>
    <message>
      <location filename="engine/corrections/randoms.py" />
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <location filename="engine/corrections/randoms.py" />
      <source>Use the singles rates recorded in the scan, or estimate the rates from the delayeds: one for each crystal, one for each block, or one for all blocks. auto uses the finest model that the counts support</source>
      <translation>Die im Scan aufgezeichneten Einzelraten verwenden, oder die Raten aus den Verzögerten schätzen: eine für jeden Kristall, eine für jeden Block oder eine für alle Blöcke. auto verwendet das feinste Modell, das die Ereigniszahl zulässt</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Width (FWHM)</source>
      <translation>Breite (FWHM)</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Full width at half maximum in the whole image; if empty, the measured resolution is used, or the one calculated for the scanner</source>
      <translation>Halbwertsbreite im ganzen Bild; wenn leer, wird die gemessene oder die für den Scanner berechnete Auflösung verwendet</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Model the final filter</source>
      <translation>Abschließenden Filter modellieren</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Include the final Gaussian filter in the model. This reduces noise, but values 5 to 8 mm inside an edge become 16 to 22 % too high</source>
      <translation>Den abschließenden Gauß-Filter ins Modell aufnehmen. Das verringert das Rauschen, aber 5 bis 8 mm innerhalb einer Kante werden die Werte 16 bis 22 % zu hoch</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Crystal efficiencies or a normalisation of this scanner</source>
      <translation>Kristalleffizienzen oder eine Normalisierung dieses Scanners</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>File with crystal efficiencies or a normalisation of this scanner. Without it, all crystals are treated as equally efficient.</source>
      <translation>Datei mit Kristalleffizienzen oder einer Normalisierung dieses Scanners. Ohne sie gelten alle Kristalle als gleich effizient.</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Attenuation map [1/mm]</source>
      <translation>Schwächungskarte [1/mm]</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Attenuation map (μ-map). Without it, the image is not corrected for attenuation.</source>
      <translation>Schwächungskarte (μ-Karte). Ohne sie wird das Bild nicht auf Schwächung korrigiert.</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Calibration factor from counts/mm to Bq/mL, measured with `isocenter calibrate`</source>
      <translation>Kalibrierfaktor von counts/mm in Bq/mL, gemessen mit `isocenter calibrate`</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Calibration measured with a cylinder of known activity. Without it, values are in counts/mm.</source>
      <translation>Kalibrierung, gemessen mit einem Zylinder bekannter Aktivität. Ohne sie sind die Werte Ereignisse/mm.</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Tracer file (TOML) with the nuclide, dose, times and patient weight for this scan</source>
      <translation>Tracerdatei (TOML) mit Nuklid, Dosis, Zeiten und Patientengewicht für diesen Scan</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>File with the nuclide, dose, times and patient weight. Without it, these values come from the scan.</source>
      <translation>Datei mit Nuklid, Dosis, Zeiten und Patientengewicht. Ohne sie kommen diese Werte aus dem Scan.</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Measured resolution</source>
      <translation>Gemessene Auflösung</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Measured widths of point sources at several distances from the axis</source>
      <translation>Gemessene Breiten von Punktquellen in mehreren Abständen von der Achse</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Measured resolution. Without it, the resolution is calculated from crystal size, crystal depth and bore.</source>
      <translation>Gemessene Auflösung. Ohne sie wird die Auflösung aus Kristallgröße, Kristalltiefe und Öffnung berechnet.</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Create …</source>
      <translation>Erstellen …</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Create a normalisation from scans of a source of known shape</source>
      <translation>Eine Normalisierung aus Scans einer Quelle bekannter Form erstellen</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Measure …</source>
      <translation>Messen …</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Measure the calibration factor in the image of a cylinder of known activity</source>
      <translation>Den Kalibrierfaktor im Bild eines Zylinders bekannter Aktivität messen</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Enter the nuclide, dose, times and patient weight for this scan</source>
      <translation>Nuklid, Dosis, Zeiten und Patientengewicht für diesen Scan eingeben</translation>
    </message>
    <message>
      <location filename="engine/corrections/roles.py" />
      <source>Measure the resolution with point sources</source>
      <translation>Auflösung mit Punktquellen messen</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Use the scatter estimate supplied with the scan, or simulate scatter from the image and the μ-map. auto simulates only if the scan has no estimate</source>
      <translation>Die mit dem Scan gelieferte Streuschätzung verwenden, oder Streuung aus Bild und μ-Karte simulieren. auto simuliert nur, wenn der Scan keine Schätzung hat</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Scatter points</source>
      <translation>Streupunkte</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Number of scatter points in the object</source>
      <translation>Zahl der Streupunkte im Objekt</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Seed for the random scatter points</source>
      <translation>Startwert für die zufälligen Streupunkte</translation>
    </message>
    <message>
      <location filename="engine/corrections/sinogram.py" />
      <source>Smooth delayeds</source>
      <translation>Verzögerte glätten</translation>
    </message>
    <message>
      <location filename="engine/corrections/sinogram.py" />
      <source>Estimate the randoms in each bin from the singles rates of the crystals or blocks. The rates are fitted to the delayeds. Otherwise, each bin uses only its own delayeds</source>
      <translation>Die Zufallskoinzidenzen jedes Bins aus den Einzelraten der Kristalle oder Blöcke schätzen. Die Raten werden an die Verzögerten angepasst. Sonst verwendet jedes Bin nur seine eigenen Verzögerten</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Site name at the top of each report</source>
      <translation>Name der Einrichtung oben auf jedem Bericht</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Address</source>
      <translation>Anschrift</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Address line below the site name</source>
      <translation>Anschrift in einer Zeile unter dem Namen der Einrichtung</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Logo</source>
      <translation>Logo</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Logo next to the site name (PNG or JPEG)</source>
      <translation>Logo neben dem Namen der Einrichtung (PNG oder JPEG)</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>People</source>
      <translation>Personen</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>People who can sign reports; if empty, the login name is used</source>
      <translation>Personen, die Berichte freigeben können; wenn leer, wird der Anmeldename verwendet</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Shared protocols</source>
      <translation>Gemeinsame Protokolle</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Folder with shared protocols; the program never writes to it</source>
      <translation>Ordner mit gemeinsamen Protokollen; das Programm schreibt nie hinein</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Reports</source>
      <translation>Berichte</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Folder for reports; if empty, the export folder is used</source>
      <translation>Ordner für Berichte; wenn leer, wird der Exportordner verwendet</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>DICOM node</source>
      <translation>DICOM-Knoten</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>DICOM node that receives the reports, as HOST:PORT or tls://HOST:PORT</source>
      <translation>DICOM-Knoten, der die Berichte empfängt, als HOST:PORT oder tls://HOST:PORT</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>AE title of the node</source>
      <translation>AE-Titel des Knotens</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>AE title of the DICOM node</source>
      <translation>AE-Titel des DICOM-Knotens</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Send after sign-off</source>
      <translation>Nach der Freigabe senden</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Send image and report to the DICOM node after each sign-off, with 10 s to recall them</source>
      <translation>Nach jeder Freigabe Bild und Bericht an den DICOM-Knoten senden; 10 s lang lassen sie sich zurückrufen</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>DICOM worklist node, as HOST:PORT or tls://HOST:PORT</source>
      <translation>DICOM-Knoten der Arbeitsliste, als HOST:PORT oder tls://HOST:PORT</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>AE title of the worklist</source>
      <translation>AE-Titel der Arbeitsliste</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>AE title of the DICOM worklist node</source>
      <translation>AE-Titel des DICOM-Knotens der Arbeitsliste</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>TLS authorities</source>
      <translation>TLS-Zertifizierungsstellen</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>CA certificates for DICOM nodes (PEM); if empty, the system certificates are used</source>
      <translation>CA-Zertifikate für DICOM-Knoten (PEM); wenn leer, werden die Zertifikate des Systems verwendet</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>TLS certificate</source>
      <translation>TLS-Zertifikat</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Certificate that identifies this computer to DICOM nodes (PEM)</source>
      <translation>Zertifikat, mit dem sich dieser Computer bei DICOM-Knoten ausweist (PEM)</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>TLS key</source>
      <translation>TLS-Schlüssel</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Private key for the certificate of this computer (PEM), without a passphrase</source>
      <translation>Privater Schlüssel zum Zertifikat dieses Computers (PEM), ohne Passphrase</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Filter window</source>
      <translation>Filterfenster</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Softer windows reduce noise and resolution</source>
      <translation>Weichere Fenster senken Rauschen und Auflösung</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Cut-off</source>
      <translation>Grenzfrequenz</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Cut-off frequency as a fraction of the Nyquist frequency</source>
      <translation>Grenzfrequenz als Anteil der Nyquist-Frequenz</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Smooth across rows</source>
      <translation>Quer zu den Zeilen glätten</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Apply a Hann window across the rows as well</source>
      <translation>Auch quer zu den Zeilen ein Hann-Fenster anwenden</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Zero padding</source>
      <translation>Auffüllen mit Nullen</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Row length after zero padding, relative to the original length</source>
      <translation>Zeilenlänge nach dem Auffüllen mit Nullen, relativ zur ursprünglichen Länge</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Use short-scan weights if the scan covers less than a full rotation</source>
      <translation>Short-Scan-Gewichte verwenden, wenn der Scan weniger als eine ganze Umdrehung umfasst</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Use half-fan weights if the detector is offset from the axis</source>
      <translation>Half-Fan-Gewichte verwenden, wenn der Detektor gegen die Achse versetzt ist</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Truncated rows</source>
      <translation>Abgeschnittene Zeilen</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Extrapolate rows that are truncated at the detector edge</source>
      <translation>Zeilen extrapolieren, die am Detektorrand abgeschnitten sind</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Back projection method</source>
      <translation>Verfahren der Rückprojektion</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Interpolation between pixels: linear (direct), or band-limited for parallel beams (gridding); auto uses gridding for many views</source>
      <translation>Interpolation zwischen Pixeln: linear (direct) oder bandbegrenzt für Parallelstrahlen (gridding); auto wählt bei vielen Ansichten gridding</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Use only the latest rotation, so that the slices follow motion, or use all views until the scan is complete and keep the final image</source>
      <translation>Nur die neueste Umdrehung verwenden, damit die Schichten Bewegungen folgen, oder alle Ansichten verwenden, bis der Scan vollständig ist, und das fertige Bild behalten</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Latest rotation</source>
      <translation>Neueste Umdrehung</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Use the latest half or full rotation</source>
      <translation>Die neueste halbe oder volle Umdrehung verwenden</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Rays measured twice</source>
      <translation>Doppelt gemessene Strahlen</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Weight of rays that are measured twice when the rotation is incomplete. "even": both at full weight (fast). "shared": the two measurements share one weight. "auto": "even" during the scan, "shared" once it is complete</source>
      <translation>Gewicht von Strahlen, die bei unvollständiger Umdrehung zweimal gemessen werden. „even“: beide mit vollem Gewicht (schnell). „shared“: beide Messungen teilen sich ein Gewicht. „auto“: „even“ während des Scans, „shared“, sobald er vollständig ist</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Edge length of the coarse preview volume; 0: no preview</source>
      <translation>Kantenlänge des groben Vorschauvolumens; 0: keine Vorschau</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Use only the latest events, so that the image follows changes, or use and store all events</source>
      <translation>Nur die neuesten Ereignisse verwenden, damit das Bild Änderungen folgt, oder alle Ereignisse verwenden und speichern</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Newest</source>
      <translation>Neueste</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Length of the time window for the sliding image</source>
      <translation>Länge des Zeitfensters für das gleitende Bild</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Detect motion</source>
      <translation>Bewegung erkennen</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Report movements of the object</source>
      <translation>Bewegungen des Objekts melden</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Fraction of the free memory that stored events may use</source>
      <translation>Anteil des freien Speichers, den gespeicherte Ereignisse belegen dürfen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/demo.py" />
      <source>Dual-head PET</source>
      <translation>Zweikopf-PET</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/layers.py" />
      <source>Crystal layers</source>
      <translation>Kristallschichten</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/layers.py" />
      <source>Treat each pair of crystal layers separately, with its own lines and response, or combine all events as if there were one thick layer</source>
      <translation>Jedes Paar von Kristallschichten getrennt behandeln, mit eigenen Linien und eigener Antwort, oder alle Ereignisse wie von einer dicken Schicht zusammenfassen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/modality.py" />
      <source>dual-head PET</source>
      <translation>Zweikopf-PET</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/prior.py" />
      <source>Strength of the smoothing between neighbouring voxels that differ by less than the noise; 0.002 is mild, 0 is off</source>
      <translation>Stärke der Glättung zwischen Nachbarvoxeln, die sich um weniger als das Rauschen unterscheiden; 0.002 ist mild, 0 ist aus</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/protocol.py" />
      <source>Edge lengths x, y, z; x and z must be the crystal pitch divided by a whole number</source>
      <translation>Kantenlängen x, y, z; x und z müssen der Kristallabstand durch eine ganze Zahl sein</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/protocol.py" />
      <source>Depth</source>
      <translation>Tiefe</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/protocol.py" />
      <source>Image depth between the panels</source>
      <translation>Bildtiefe zwischen den Panels</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Points</source>
      <translation>Punkte</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Number of point pairs, which must be a power of two; the same number of photons is tracked in each direction</source>
      <translation>Zahl der Punktpaare, die eine Zweierpotenz sein muss; ebenso viele Photonen werden in jeder Richtung verfolgt</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Inter-crystal scatter</source>
      <translation>Streuung zwischen Kristallen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Simulate scatter between crystals, the energy resolution and the energy window. Otherwise, only the first interaction counts</source>
      <translation>Streuung zwischen Kristallen, Energieauflösung und Energiefenster simulieren. Sonst zählt die erste Wechselwirkung</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Threshold</source>
      <translation>Schwelle</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Matrix values below this fraction of the row maximum are discarded</source>
      <translation>Matrixwerte unter diesem Anteil des Zeilenmaximums werden verworfen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Seed for the random points</source>
      <translation>Startwert für die zufälligen Punkte</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Number of photon pairs from each independent voxel; the other voxels follow by symmetry</source>
      <translation>Zahl der Photonenpaare aus jedem unabhängigen Voxel; die anderen Voxel folgen aus der Symmetrie</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Simulate scatter in the crystals</source>
      <translation>Streuung in den Kristallen simulieren</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Margin around the box of voxels that is stored for each line direction, in crystal pitches</source>
      <translation>Rand um den Quader von Voxeln, der für jede Linienrichtung gespeichert wird, in Kristallabständen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Seed for the random numbers</source>
      <translation>Startwert für die Zufallszahlen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response_role.py" />
      <source>Response matrix of a dual-head scanner</source>
      <translation>Antwortmatrix eines Zweikopfscanners</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response_role.py" />
      <source>Response matrix from another program. Without it, the matrix is computed once and stored.</source>
      <translation>Antwortmatrix aus einem anderen Programm. Ohne sie wird die Matrix einmal berechnet und gespeichert.</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Activity region</source>
      <translation>Aktivitätsbereich</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Region that can contain activity: the object in the μ-map (or everywhere if there is no μ-map), a box, an ellipsoid, or everywhere</source>
      <translation>Bereich, der Aktivität enthalten kann: das Objekt in der μ-Karte (überall ohne μ-Karte), ein Quader, ein Ellipsoid oder überall</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Size of the box or the ellipsoid (x, y, z)</source>
      <translation>Größe des Quaders oder Ellipsoids (x, y, z)</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Centre</source>
      <translation>Mitte</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Centre of the box or the ellipsoid (x, y, z)</source>
      <translation>Mitte des Quaders oder Ellipsoids (x, y, z)</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Margin</source>
      <translation>Rand</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Activity is allowed up to this distance from the object</source>
      <translation>Bis zu diesem Abstand vom Objekt ist Aktivität möglich</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/demo.py" />
      <source>PET ring</source>
      <translation>PET-Ring</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Edge lengths x, y, z; if empty, the default for the scanner</source>
      <translation>Kantenlängen x, y, z; wenn leer, der Standardwert des Scanners</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Diameter</source>
      <translation>Durchmesser</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Transaxial field of view</source>
      <translation>Transaxiales Messfeld</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Axial field of view</source>
      <translation>Axiales Messfeld</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Centre x, y, z</source>
      <translation>Mitte x, y, z</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Use all lines of response, or a random sample of them. auto uses a sample for scanners with many lines; the sample grows with the number of events</source>
      <translation>Alle Antwortlinien oder eine Zufallsstichprobe davon verwenden. auto verwendet bei Scannern mit vielen Linien eine Stichprobe; sie wächst mit der Zahl der Ereignisse</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Sampling error</source>
      <translation>Stichprobenfehler</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Standard error of each voxel in the sampled sensitivity image</source>
      <translation>Standardfehler jedes Voxels im geschätzten Sensitivitätsbild</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Seed for the random sample</source>
      <translation>Startwert für die Zufallsstichprobe</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Use time-of-flight data if the scan contains them</source>
      <translation>Flugzeitdaten verwenden, wenn der Scan sie enthält</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Time frames or gates. 10x60,5x300: ten frames of 60 s, then five of 300 s. 0-60,120-180: two frames in seconds since the start; the time between them is not used. n=20: twenty frames with equal numbers of prompts. gates=8: eight gates per cardiac or respiratory cycle. gates=8 of ecg: the same, with the trigger signal named ecg. Empty: one frame for the whole scan</source>
      <translation>Zeitframes oder Gates. 10x60,5x300: zehn Frames von 60 s, dann fünf von 300 s. 0-60,120-180: zwei Frames in Sekunden seit dem Beginn; die Zeit dazwischen wird nicht verwendet. n=20: zwanzig Frames mit gleich vielen Prompts. gates=8: acht Gates je Herz- oder Atemzyklus. gates=8 of ecg: ebenso, mit dem Triggersignal namens ecg. Leer: ein Frame für den ganzen Scan</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Automatic settings</source>
      <translation>Automatische Einstellungen</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>If the iterations or the Gaussian width are empty, choose them from the counts, timing resolution and object size. All time frames use the width for the frame with the median counts</source>
      <translation>Wenn die Iterationen oder die Gaußbreite leer sind, sie aus Ereigniszahl, Zeitauflösung und Objektgröße wählen. Alle Zeitframes verwenden die Breite für den Frame mit dem Median der Ereigniszahlen</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Reproducible mode</source>
      <translation>Reproduzierbarer Modus</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Use integer sums, so that results are bit-identical for any number of threads and any order of events</source>
      <translation>Ganzzahlig summieren, sodass Ergebnisse bei jeder Zahl von Threads und jeder Reihenfolge der Ereignisse bitgleich sind</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/trigger_times.py" />
      <source>Trigger times</source>
      <translation>Triggerzeiten</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/trigger_times.py" />
      <source>Start times of cardiac or respiratory cycles, in seconds since the start of the scan</source>
      <translation>Anfangszeiten der Herz- oder Atemzyklen, in Sekunden seit Beginn des Scans</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/trigger_times.py" />
      <source>File with the start times of heartbeats or breaths, used for gating. Without it, the triggers in the scan are used.</source>
      <translation>Datei mit den Anfangszeiten von Herzschlägen oder Atemzügen, für Gates. Ohne sie werden die Trigger des Scans verwendet.</translation>
    </message>
    <message>
      <location filename="engine/modalities/ring_sinogram_pet/demo.py" />
      <source>PET sinograms</source>
      <translation>PET-Sinogramme</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/demo.py" />
      <source>Cone-beam CT</source>
      <translation>Kegelstrahl-CT</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/modality.py" />
      <source>X-ray CT</source>
      <translation>Röntgen-CT</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/parameters.py" />
      <source>Centre of rotation: candidates</source>
      <translation>Drehzentrum: Kandidaten</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/parameters.py" />
      <source>Detector roll: candidates</source>
      <translation>Rollwinkel des Detektors: Kandidaten</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Edge lengths x, y, z; if empty, the detector pixel size projected onto the axis</source>
      <translation>Kantenlängen x, y, z; wenn leer, die auf die Achse projizierte Pixelgröße des Detektors</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Width of the volume; if empty, the whole field of view</source>
      <translation>Breite des Volumens; wenn leer, das ganze Messfeld</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Height of the volume; if empty, the whole field of view</source>
      <translation>Höhe des Volumens; wenn leer, das ganze Messfeld</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Centre x, y, z; if empty, on the axis</source>
      <translation>Mitte x, y, z; wenn leer, auf der Achse</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Required beam geometry; None: any geometry</source>
      <translation>Verlangte Strahlgeometrie; None: jede</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Back projection</source>
      <translation>Rückprojektion</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Back projection in iterative algorithms: the exact transpose, or a faster approximation</source>
      <translation>Rückprojektion in iterativen Algorithmen: die genaue Transponierte oder eine schnellere Näherung</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>CT numbers (HU)</source>
      <translation>CT-Zahlen (HU)</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Convert the image from 1/mm to CT numbers</source>
      <translation>Das Bild von 1/mm in CT-Zahlen umrechnen</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Cylinder with uniform activity</source>
      <translation>Zylinder gleichmäßiger Aktivität</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Rotating line source</source>
      <translation>Umlaufende Linienquelle</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Diameter of the active volume, without the cylinder wall</source>
      <translation>Durchmesser des aktiven Volumens, ohne die Zylinderwand</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>longer than the scanner</source>
      <translation>länger als der Scanner</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Length along the scanner axis</source>
      <translation>Länge entlang der Scannerachse</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Linear attenuation coefficient of the cylinder contents at 511 keV (water: 0.0096)</source>
      <translation>Linearer Schwächungskoeffizient des Zylinderinhalts bei 511 keV (Wasser: 0.0096)</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Centre of the cylinder; even an error of 1 mm affects the result</source>
      <translation>Mitte des Zylinders; schon ein Fehler von 1 mm wirkt sich auf das Ergebnis aus</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Orbit diameter</source>
      <translation>Bahndurchmesser</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Diameter of the circle on which the line source moves</source>
      <translation>Durchmesser des Kreises, auf dem sich die Linienquelle bewegt</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Thickness</source>
      <translation>Dicke</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Diameter of the line source</source>
      <translation>Durchmesser der Linienquelle</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Kind</source>
      <translation>Art</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Type of the scanned source</source>
      <translation>Art der gemessenen Quelle</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Separate factor for each position in a block</source>
      <translation>Eigener Faktor für jede Position im Block</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Measure a factor for each crystal position in a block; switch this off if the scans have few counts</source>
      <translation>Einen Faktor für jede Kristallposition in einem Block messen; ausschalten, wenn die Scans wenige Ereignisse haben</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/gaussian.py" />
      <source>Gaussian</source>
      <translation>Gauß</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/gaussian.py" />
      <source>Full width at half maximum. If empty, it is 1.5 voxels; in list-mode PET with a μ-map, it depends on the resolution, counts and timing resolution</source>
      <translation>Halbwertsbreite. Wenn leer, ist sie 1,5 Voxel; bei List-Mode-PET mit μ-Karte richtet sie sich nach Auflösung, Ereigniszahl und Zeitauflösung</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/median.py" />
      <source>Median</source>
      <translation>Median</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/median.py" />
      <source>Cube edge</source>
      <translation>Würfelkante</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/median.py" />
      <source>Edge length of the cube</source>
      <translation>Kantenlänge des Würfels</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Activity</source>
      <translation>Aktivität</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Net activity in the phantom: the dispensed activity minus the residual in the syringe</source>
      <translation>Nettoaktivität im Phantom: die eingefüllte Aktivität ohne den Rest in der Spritze</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Measured at</source>
      <translation>Gemessen um</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>at the start of the scan</source>
      <translation>bei Beginn des Scans</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Time of the activity measurement</source>
      <translation>Zeitpunkt der Aktivitätsmessung</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>from diameter and length</source>
      <translation>aus Durchmesser und Länge</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Volume of liquid in the cylinder</source>
      <translation>Volumen der Flüssigkeit im Zylinder</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>not needed</source>
      <translation>nicht nötig</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Inner dimensions of the cylinder, if no volume is given</source>
      <translation>Innenmaße des Zylinders, wenn kein Volumen angegeben ist</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Nuclide</source>
      <translation>Nuklid</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Nuclide of the tracer, such as F-18</source>
      <translation>Nuklid des Tracers, zum Beispiel F-18</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Start of the scan</source>
      <translation>Beginn des Scans</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Start time of the frame</source>
      <translation>Anfangszeit des Zeitframes</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Live fraction</source>
      <translation>Live-Anteil</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Live time as a fraction of the frame duration</source>
      <translation>Live-Zeit als Anteil der Dauer des Zeitframes</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/ct_resolution.py" />
      <source>Edge of a cylinder</source>
      <translation>Rand eines Zylinders</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/ct_resolution.py" />
      <source>Thin wire</source>
      <translation>Dünner Draht</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/ct_water.py" />
      <source>CT water cylinder</source>
      <translation>CT-Wasserzylinder</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/nema_nu2.py" />
      <source>NEMA NU 2 body</source>
      <translation>NEMA NU 2 Körper</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/nema_nu4.py" />
      <source>NEMA NU 4 mouse</source>
      <translation>NEMA NU 4 Maus</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/nema_points.py" />
      <source>Point sources</source>
      <translation>Punktquellen</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/phantoms/uniform.py" />
      <source>Uniform cylinder</source>
      <translation>Gleichförmiger Zylinder</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Protocol name shown in the window</source>
      <translation>Name des Protokolls, den das Fenster zeigt</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Filters applied after each iteration</source>
      <translation>Filter, die nach jeder Iteration angewendet werden</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Between iterations</source>
      <translation>Zwischen Iterationen</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Filters applied to the final image</source>
      <translation>Filter, die auf das fertige Bild angewendet werden</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Compute the error of the image from this number of bootstrap replicates. Each is reconstructed from the counts with new Poisson noise. With 20, the standard deviation of a voxel is known to 16 %</source>
      <translation>Den Fehler des Bildes aus dieser Zahl von Bootstrap-Wiederholungen berechnen. Jede wird aus den Zählereignissen mit neuem Poisson-Rauschen rekonstruiert. Mit 20 ist die Standardabweichung eines Voxels auf 16 % genau bekannt</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Method of the error map. bootstrap: reconstruct each replicate. hessian: calculate the replicates from the curvature of the penalised likelihood at the image. This needs MAP, is many times faster, and holds if voxels vary by less than about 30 %</source>
      <translation>Methode der Fehlerkarte. bootstrap: jede Wiederholung wird rekonstruiert. hessian: die Wiederholungen werden aus der Krümmung der bestraften Likelihood am Bild berechnet. Das braucht MAP, ist um ein Vielfaches schneller und gilt, wenn Voxel um weniger als etwa 30 % schwanken</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Method of the error map</source>
      <translation>Methode der Fehlerkarte</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Seed for the random numbers of the replicates; 1 if empty</source>
      <translation>Startwert der Zufallszahlen für die Wiederholungen; 1, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Seed for the error map</source>
      <translation>Startwert der Fehlerkarte</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>1</source>
      <translation>1</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Scan file or header file</source>
      <translation>Datei des Scans oder Header-Datei</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Scanner name, scanner file or crystal map; if empty, the scanner recorded in the scan</source>
      <translation>Scannername, Scannerdatei oder Kristallkarte; None: wie im Scan angegeben</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Identified</source>
      <translation>Mit Namen</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Store the names of files and folders in the results</source>
      <translation>Namen von Dateien und Ordnern in den Ergebnissen speichern</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Use truncated files</source>
      <translation>Abgeschnittene Dateien verwenden</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Use a truncated list-mode file up to its last complete event</source>
      <translation>Eine abgeschnittene List-Mode-Datei bis zum letzten vollständigen Ereignis verwenden</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Auxiliary files, for example the μ-map, listed by role</source>
      <translation>Hilfsdateien, zum Beispiel die μ-Karte, nach Rolle</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Fingerprints</source>
      <translation>Fingerabdrücke</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Fingerprints of the scan and its files when the study was made, by role</source>
      <translation>Fingerabdrücke des Scans und seiner Dateien beim Anlegen der Studie, nach Rolle</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Name of the scan in messages</source>
      <translation>Name des Scans in Meldungen</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Size and SHA-256 of the scan</source>
      <translation>Größe und SHA-256 des Scans</translation>
    </message>
    <message>
      <location filename="engine/tools/tuning/device_cone.py" />
      <source>cone-beam back projection</source>
      <translation>Kegelstrahl-Rückprojektion</translation>
    </message>
    <message>
      <location filename="engine/tools/tuning/device_matrix.py" />
      <source>projection with a stored response matrix</source>
      <translation>Projektion mit gespeicherter Antwortmatrix</translation>
    </message>
    <message>
      <location filename="engine/tools/tuning/device_rays.py" />
      <source>list-mode update</source>
      <translation>List-Mode-Aktualisierung</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Positron emitter, for example F-18</source>
      <translation>Positronenstrahler, zum Beispiel F-18</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Tracer</source>
      <translation>Tracer</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Radiopharmaceutical, for example FDG</source>
      <translation>Radiopharmakon, zum Beispiel FDG</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Half-life</source>
      <translation>Halbwertszeit</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>from the nuclide</source>
      <translation>aus dem Nuklid</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Half-life; required only if the program does not know the nuclide</source>
      <translation>Halbwertszeit; nur nötig, wenn das Programm das Nuklid nicht kennt</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Positrons per decay</source>
      <translation>Positronen je Zerfall</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Positrons emitted per decay</source>
      <translation>Ausgesandte Positronen je Zerfall</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Dose</source>
      <translation>Dosis</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Activity drawn into the syringe</source>
      <translation>In die Spritze aufgezogene Aktivität</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Dose measured at</source>
      <translation>Dosis gemessen um</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>at injection</source>
      <translation>bei der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Time of the dose measurement; if empty, the time of injection</source>
      <translation>Zeitpunkt der Dosismessung; wenn leer, der Zeitpunkt der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Activity left in the syringe</source>
      <translation>In der Spritze verbliebene Aktivität</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Residual measured at</source>
      <translation>Rest gemessen um</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Time of the residual measurement; if empty, the time of injection</source>
      <translation>Zeitpunkt der Restmessung; wenn leer, der Zeitpunkt der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Injection</source>
      <translation>Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Time of injection</source>
      <translation>Zeitpunkt der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Administration</source>
      <translation>Verabreichung</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>not stated</source>
      <translation>nicht angegeben</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Type of administration: bolus or infusion</source>
      <translation>Art der Verabreichung: Bolus oder Infusion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Injected mass</source>
      <translation>Injizierte Masse</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Mass of the compound at injection</source>
      <translation>Masse der Substanz bei der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Weight</source>
      <translation>Gewicht</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Body weight</source>
      <translation>Körpergewicht</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Height</source>
      <translation>Größe</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Body height</source>
      <translation>Körpergröße</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Sex</source>
      <translation>Geschlecht</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>F or M; used for lean body mass</source>
      <translation>F oder M; für die fettfreie Masse</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Valid for scan</source>
      <translation>Gültig für Scan</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>any scan</source>
      <translation>jeden Scan</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Fingerprint of the scan that this file is valid for; the file is rejected for other scans</source>
      <translation>Fingerabdruck des Scans, für den diese Datei gilt; für andere Scans wird die Datei abgelehnt</translation>
    </message>
  </context>
</TS>
