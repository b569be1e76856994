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
      <source>A scan of a cylinder with known activity gives the calibration factor. Reconstruct it with the settings for patients: same normalisation, μ-map and corrections, but no calibration.</source>
      <translation>Der Scan eines Zylinders mit bekannter Aktivität liefert den Kalibrierungsfaktor. Rekonstruieren Sie ihn mit den Einstellungen für Patienten: gleiche Normalisierung, μ-Karte und Korrekturen, aber ohne Kalibrierung.</translation>
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
      <source>Use for the open scan</source>
      <translation>Für den geöffneten Scan verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Keep for every scan of this scanner</source>
      <translation>Für jeden Scan dieses Scanners behalten</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Measure</source>
      <translation>Messen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Save …</source>
      <translation>Speichern …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Save the result as a calibration file</source>
      <translation>Das Ergebnis als Kalibrierungsdatei speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Close</source>
      <translation>Schließen</translation>
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
      <source>1 count/mm corresponds to {number} positrons per mL, with an error of {error_percent:.2g} %. Scan longer: an error above {limit:g} % is too large.</source>
      <translation>1 Ereignis/mm entspricht {number} Positronen je mL, mit einem Fehler von {error_percent:.2g} %. Messen Sie länger: Ein Fehler über {limit:g} % ist zu groß.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>1 count/mm corresponds to {number} positrons per mL, with an error of {error_percent:.2g} %.</source>
      <translation>1 Ereignis/mm entspricht {number} Positronen je mL, mit einem Fehler von {error_percent:.2g} %.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>{activity:.4g} kBq/mL at the start of the scan. Mean of {n_voxels:,} voxels in a cylinder with radius {radius_mm:.1f} mm and length {length_mm:.1f} mm at ({x:g}, {y:g}, {z:g}) mm.</source>
      <translation>{activity:.4g} kBq/mL zu Beginn des Scans. Mittelwert von {n_voxels:,} Voxeln in einem Zylinder mit Radius {radius_mm:.1f} mm und Länge {length_mm:.1f} mm bei ({x:g}, {y:g}, {z:g}) mm.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Use the result as the calibration of the open scan</source>
      <translation>Das Ergebnis als Kalibrierung des geöffneten Scans verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>The program uses the result for each scan of this scanner that you open from now on</source>
      <translation>Das Programm verwendet das Ergebnis für jeden Scan dieses Scanners, den Sie von jetzt an öffnen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>No open scan accepts a calibration</source>
      <translation>Kein geöffneter Scan nimmt eine Kalibrierung an</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Save the calibration</source>
      <translation>Kalibrierung speichern</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Writing {name}</source>
      <translation>{name} wird geschrieben</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>{name} was not written.</source>
      <translation>{name} wurde nicht geschrieben.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
      <source>Saved: {target}</source>
      <translation>Gespeichert: {target}</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/calibrate_dialog.py" />
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
      <source>A source of known shape shows the efficiency of each crystal and each type of line. Measure it once and after each service. It applies to every scan of the scanner.</source>
      <translation>Eine Quelle bekannter Form zeigt die Empfindlichkeit jedes Kristalls und jeder Art von Linie. Messen Sie sie einmal und nach jeder Wartung. Das Ergebnis gilt für alle Scans des Scanners.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Use the result as the normalisation of the open scan</source>
      <translation>Das Ergebnis als Normalisierung des geöffneten Scans verwenden</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>The program uses the result for each scan of this scanner that you open from now on, and for no other scanner</source>
      <translation>Das Programm verwendet das Ergebnis für jeden Scan dieses Scanners, den Sie von jetzt an öffnen, und für keinen anderen Scanner</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>Measure a normalisation</source>
      <translation>Normalisierung messen</translation>
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
      <source>Save the result as a normalisation file</source>
      <translation>Das Ergebnis als Normalisierungsdatei speichern</translation>
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
      <source>The normalisation measurement is still running. Nothing has been saved yet.</source>
      <translation>Die Messung der Normalisierung läuft noch. Es wurde noch nichts gespeichert.</translation>
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
      <source>No open scan accepts a normalisation.</source>
      <translation>Kein geöffneter Scan nimmt eine Normalisierung an.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_dialog.py" />
      <source>The open scan is from a different scanner: {name}.</source>
      <translation>Der geöffnete Scan ist von einem anderen Scanner: {name}.</translation>
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
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Scanners (*.toml *.txt *.csv *.tsv);;All files (*)</source>
      <translation>Scanner (*.toml *.txt *.csv *.tsv);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Add a scan of the source first.</source>
      <translation>Fügen Sie zuerst einen Scan der Quelle hinzu.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Scanner</source>
      <translation>Scanner</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>From the scans</source>
      <translation>Aus den Scans</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>From a file …</source>
      <translation>Aus einer Datei …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Scans of the source</source>
      <translation>Scans der Quelle</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Source</source>
      <translation>Quelle</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Choose a scanner</source>
      <translation>Scanner wählen</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_request.py" />
      <source>Describe the source: a field is empty or invalid.</source>
      <translation>Beschreiben Sie die Quelle: Ein Feld ist leer oder ungültig.</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Efficiencies of the crystals</source>
      <translation>Effizienzen der Kristalle</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>Geometric factor relative to its analytic form, by ring difference</source>
      <translation>Geometriefaktor relativ zu seiner analytischen Form, nach Ringdifferenz</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>ring difference</source>
      <translation>Ringdifferenz</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/normalise_result.py" />
      <source>The same, by distance from the centre</source>
      <translation>Dasselbe, nach Abstand von der Mitte</translation>
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
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>Add …</source>
      <translation>Hinzufügen …</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>List-mode scans of the same source</source>
      <translation>List-Mode-Scans derselben Quelle</translation>
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
      <source>List-mode scans ({kinds});;All files (*)</source>
      <translation>List-Mode-Scans ({kinds});;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/analysis/calibrate/scan_list.py" />
      <source>Add scans of the source</source>
      <translation>Scans der Quelle hinzufügen</translation>
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
      <source>Use the lower buttons next to the views to draw distances, angles, arrows, text and curves. They are saved with the scan and with the study.</source>
      <translation>Mit den unteren Knöpfen neben den Ansichten zeichnen Sie Abstände, Winkel, Pfeile, Text und Kurven. Sie werden mit dem Scan und mit der Studie gespeichert.</translation>
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
      <source>Show the volume along the straightened curve</source>
      <translation>Das Volumen entlang der gestreckten Kurve zeigen</translation>
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
      <source>Along a curve</source>
      <translation>Entlang einer Kurve</translation>
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
      <source>Values over the iterations of the run</source>
      <translation>Werte über die Iterationen des Laufs</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Draw a line</source>
      <translation>Linie zeichnen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/line_profile_panel.py" />
      <source>Drag in a slice from one end to the other. Drag an end to move it. (L)</source>
      <translation>In einer Schicht von einem Ende zum anderen ziehen. Ein Ende ziehen, um es zu verschieben. (L)</translation>
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
      <source>FWHM at half height</source>
      <translation>FWHM in halber Höhe</translation>
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
      <source>Activity of hot spheres relative to background</source>
      <translation>Aktivität der heißen Kugeln relativ zum Hintergrund</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Find the phantom in the displayed image</source>
      <translation>Das Phantom im angezeigten Bild suchen</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Save report …</source>
      <translation>Bericht speichern …</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Save values and slices as PDF or JSON</source>
      <translation>Werte und Schichten als PDF oder JSON speichern</translation>
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
      <source>There is no image to measure.</source>
      <translation>Es gibt kein Bild zum Messen.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>{title}: {placement}. The displayed image is a different one.</source>
      <translation>{title}: {placement}. Das angezeigte Bild ist ein anderes.</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>Measuring: {title}</source>
      <translation>Messung: {title}</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/quality_panel.py" />
      <source>The phantom was not measured.</source>
      <translation>Das Phantom wurde nicht gemessen.</translation>
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
      <source>Rods along y (normal of the panels)</source>
      <translation>Stäbe entlang y (Normale der Panels)</translation>
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
      <source>Rods of 2.4, 2.0, 1.7, 1.35, 1.0 and 0.75 mm in the centre of the image. The widest rods are around +x. Neighbours are two diameters from centre to centre.</source>
      <translation>Stäbe von 2.4, 2.0, 1.7, 1.35, 1.0 und 0.75 mm in der Mitte des Bildes. Die dicksten liegen um +x. Der Abstand benachbarter Stäbe beträgt zwei Durchmesser.</translation>
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
      <source>Mean between neighbouring rods divided by the mean in the rods, in the central 10 mm of their length. Below 0.735, the rods are resolved (Rayleigh).</source>
      <translation>Mittelwert zwischen benachbarten Stäben, geteilt durch den Mittelwert in den Stäben, in den mittleren 10 mm ihrer Länge. Unter 0.735 sind die Stäbe getrennt (Rayleigh).</translation>
    </message>
    <message>
      <location filename="app/analysis/measure/rods_panel.py" />
      <source>A phantom of this radius has no two neighbouring rods of the same size.</source>
      <translation>Ein Phantom mit diesem Radius hat keine zwei benachbarten Stäbe gleicher Größe.</translation>
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
      <source>Sphere around the crosshair, diameter (mm)</source>
      <translation>Kugel um das Fadenkreuz, Durchmesser (mm)</translation>
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
      <location filename="app/analysis/measure/time_curve_panel.py" />
      <source>Mean and standard deviation of the voxels ({head})</source>
      <translation>Mittelwert und Standardabweichung der Voxel ({head})</translation>
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
      <location filename="app/analysis/regions/region_details.py" />
      <source>Background region</source>
      <translation>Hintergrundregion</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Region with which the selected region is compared</source>
      <translation>Region, mit der die gewählte Region verglichen wird</translation>
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
      <source>no sphere of 1 mL fits</source>
      <translation>keine Kugel von 1 mL passt hinein</translation>
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
      <source>Rule</source>
      <translation>Regel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>{percent}th percentile</source>
      <translation>{percent}. Perzentil</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Ratio of the means</source>
      <translation>Verhältnis der Mittelwerte</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>Contrast to noise</source>
      <translation>Kontrast zu Rauschen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>mean and volume by area, minimum and maximum by voxel centres</source>
      <translation>Mittelwert und Volumen nach Fläche, Minimum und Maximum nach Voxelmitten</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_details.py" />
      <source>all values by voxel centres</source>
      <translation>alle Werte nach Voxelmitten</translation>
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
      <source>DICOM segmentations (*.dcm)</source>
      <translation>DICOM-Segmentierungen (*.dcm)</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>A segmentation must refer to a DICOM series. Save the regions, then run `isocenter regions IMAGE --regions R.toml --dicom OUT.dcm --like FILE` with a FILE of that series.</source>
      <translation>Eine Segmentierung muss sich auf eine DICOM-Serie beziehen. Speichern Sie die Regionen, und führen Sie dann `isocenter regions BILD --regions R.toml --dicom ZIEL.dcm --like DATEI` mit einer DATEI jener Serie aus.</translation>
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
      <source>The two scans belong to different patients, so the regions cannot be used. Draw them again.</source>
      <translation>Die beiden Scans gehören zu verschiedenen Patienten. Deshalb können die Regionen nicht verwendet werden. Zeichnen Sie sie neu.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>The table of the regions was copied.</source>
      <translation>Die Tabelle der Regionen wurde kopiert.</translation>
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
      <source>{n_shared:,} voxels lie in several regions. In the label image, each of them belongs to one region.</source>
      <translation>{n_shared:,} Voxel liegen in mehreren Regionen. Im Label-Bild gehört jedes davon zu einer Region.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Choose an image of the DICOM series</source>
      <translation>Ein Bild der DICOM-Serie wählen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_files.py" />
      <source>Save as DICOM</source>
      <translation>Als DICOM speichern</translation>
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
      <source>Use them</source>
      <translation>Verwenden</translation>
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
      <source>Name. The check box shows or hides the region. F2 renames it, Delete removes it.</source>
      <translation>Name. Das Kästchen blendet die Region ein oder aus. F2 benennt sie um, Entf löscht sie.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Mean, weighted by the fraction of each voxel inside the region</source>
      <translation>Mittelwert, gewichtet mit dem Anteil jedes Voxels in der Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Standard deviation of the voxels</source>
      <translation>Standardabweichung der Voxel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Highest mean of a 1 mL sphere in the region</source>
      <translation>Höchster Mittelwert einer Kugel von 1 mL in der Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Volume inside the image</source>
      <translation>Volumen innerhalb des Bildes</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>Regions</source>
      <translation>ROIs</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_list.py" />
      <source>The name was not changed: {reason_of}.</source>
      <translation>Der Name wurde nicht geändert: {reason_of}.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Centre of the region, {a} in mm</source>
      <translation>Mittelpunkt der Region, {a} in mm</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Size of the region along {a} in mm</source>
      <translation>Größe der Region entlang {a} in mm</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Method that sets the contour threshold</source>
      <translation>Verfahren für die Schwelle der Kontur</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Voxels that count: the whole region, or only voxels above a threshold</source>
      <translation>Voxel, die zählen: die ganze Region oder nur Voxel über einer Schwelle</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Whole region</source>
      <translation>Ganze Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Threshold of the contour</source>
      <translation>Schwelle der Kontur</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Only voxels connected to the maximum</source>
      <translation>Nur mit dem Maximum verbundene Voxel</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_numbers.py" />
      <source>Voxels connected to the maximum through shared faces</source>
      <translation>Voxel, die über gemeinsame Flächen mit dem Maximum verbunden sind</translation>
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
      <source>Volume in mL by value ({unit_text})</source>
      <translation>Volumen in mL nach Wert ({unit_text})</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>no unit</source>
      <translation>keine Einheit</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Means of the regions over the run</source>
      <translation>Mittelwerte der Regionen über den Lauf</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>time [s]</source>
      <translation>Zeit [s]</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>iteration</source>
      <translation>Iteration</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Mean over the frames ({unit_text})</source>
      <translation>Mittelwert über die Zeitabschnitte ({unit_text})</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_plots.py" />
      <source>Mean over the iterations ({unit_text})</source>
      <translation>Mittelwert über die Iterationen ({unit_text})</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions saved with the study were drawn on another scan or on another computer. You can load them from their file on the Regions tab.</source>
      <translation>Die mit der Studie gespeicherten Regionen wurden auf einem anderen Scan oder an einem anderen Rechner gezeichnet. Sie können sie im Reiter ROIs aus ihrer Datei laden.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions could not be saved with the scan.</source>
      <translation>Die Regionen konnten nicht mit dem Scan gespeichert werden.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_storage.py" />
      <source>The regions were not loaded. {e}</source>
      <translation>Die Regionen wurden nicht geladen. {e}</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Press at the centre of the sphere and drag to its surface</source>
      <translation>Im Mittelpunkt der Kugel drücken und bis zur Oberfläche ziehen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag from corner to corner of the ellipsoid</source>
      <translation>Von Ecke zu Ecke des Ellipsoids ziehen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag from corner to corner of the box</source>
      <translation>Von Ecke zu Ecke des Quaders ziehen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Drag from corner to corner of a cylinder across the slice</source>
      <translation>Von Ecke zu Ecke eines Zylinders quer zur Schicht ziehen</translation>
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
      <source>Paint voxels. They are added to the selected region if it is a painted one.</source>
      <translation>Voxel malen. Sie kommen zur gewählten Region hinzu, wenn diese gemalt ist.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/region_tools.py" />
      <source>Diameter of the brush in mm</source>
      <translation>Durchmesser des Pinsels in mm</translation>
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
      <source>Brush, diameter (mm)</source>
      <translation>Pinsel, Durchmesser (mm)</translation>
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
      <source>Union</source>
      <translation>Vereinigung</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Voxels in any of the selected regions</source>
      <translation>Voxel in mindestens einer der gewählten Regionen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Intersection</source>
      <translation>Schnittmenge</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Voxels in all of the selected regions</source>
      <translation>Voxel in allen gewählten Regionen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>First minus the others</source>
      <translation>Erste minus die anderen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Voxels in the first selected region only</source>
      <translation>Voxel nur in der ersten gewählten Region</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Table of the displayed image …</source>
      <translation>Tabelle des angezeigten Bildes …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Table over iterations or frames …</source>
      <translation>Tabelle über Iterationen oder Zeitabschnitte …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Regions …</source>
      <translation>Regionen …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Labels (NIfTI) …</source>
      <translation>Labels (NIfTI) …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Segmentation (DICOM) …</source>
      <translation>Segmentierung (DICOM) …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>For archives and viewers, over the image's DICOM series</source>
      <translation>Für Archive und Betrachter, über der DICOM-Serie des Bildes</translation>
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
      <source>Use the regions of {title} …</source>
      <translation>Die Regionen von {title} verwenden …</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Draw</source>
      <translation>Zeichnen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>There is no image to draw in.</source>
      <translation>Es gibt kein Bild zum Zeichnen.</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Combine the selected regions into one</source>
      <translation>Die gewählten Regionen zu einer verknüpfen</translation>
    </message>
    <message>
      <location filename="app/analysis/regions/regions_tab.py" />
      <source>Colour of the region</source>
      <translation>Farbe der Region</translation>
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
      <source>Infusion</source>
      <translation>Infusion</translation>
    </message>
    <message>
      <location filename="app/language/keys.py" />
      <source>Wedge</source>
      <translation>Keil</translation>
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
      <source>No view yet</source>
      <translation>Noch keine Ansicht</translation>
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
      <source>Slices appear while an X-ray scan is measured. Preparation steps and filter come from the current CT protocol.</source>
      <translation>Schichten erscheinen, während ein Röntgenscan gemessen wird. Vorbereitungsschritte und Filter stammen aus dem aktuellen CT-Protokoll.</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>The image appears while a PET scan is measured, and motion is reported at once. Voxels, algorithm and filters come from the current list-mode protocol.</source>
      <translation>Das Bild erscheint, während ein PET-Scan gemessen wird, und Bewegung wird sofort gemeldet. Voxel, Algorithmus und Filter stammen aus dem aktuellen List-Mode-Protokoll.</translation>
    </message>
    <message>
      <location filename="app/live/connect_card.py" />
      <source>Type of scan</source>
      <translation>Art des Scans</translation>
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
      <source>tcp://host:port of a sender, a list-mode file that a Siemens mMR or SAFIR scanner is writing, or a stored list-mode scan</source>
      <translation>tcp://host:port eines Senders, eine List-Mode-Datei, die ein Siemens mMR oder SAFIR gerade schreibt, oder ein gespeicherter List-Mode-Scan</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Name or file of the scanner, if the source does not state it</source>
      <translation>Name oder Datei des Scanners, wenn die Quelle ihn nicht nennt</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Play a stored scan as if it were measured now: 1 is the original speed, 5 is five times as fast</source>
      <translation>Einen gespeicherten Scan abspielen, als würde er jetzt gemessen: 1 ist das Originaltempo, 5 ist fünfmal so schnell</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>A μ-map fits one patient position, and a normalisation fits one scanner. Use those of the current study only if they belong to the scan that is measured now.</source>
      <translation>Eine μ-Karte passt zu einer Patientenlage, eine Normalisierung zu einem Scanner. Verwenden Sie die der aktuellen Studie nur, wenn sie zu dem Scan gehören, der jetzt gemessen wird.</translation>
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
      <source>The current study has none</source>
      <translation>Die aktuelle Studie hat keine</translation>
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
      <source>Files of the current study</source>
      <translation>Dateien der aktuellen Studie</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>File …</source>
      <translation>Datei …</translation>
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
      <source>× original speed, stored scans only</source>
      <translation>× Originaltempo, nur gespeicherte Scans</translation>
    </message>
    <message>
      <location filename="app/live/events_form.py" />
      <source>Use {value}</source>
      <translation>{value} verwenden</translation>
    </message>
    <message>
      <location filename="app/live/figures.py" />
      <source>{latency_ms_median:.0f} ms, 99 %: {latency_ms_p99:.0f} ms</source>
      <translation>{latency_ms_median:.0f} ms, 99 %: {latency_ms_p99:.0f} ms</translation>
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
      <source>{behind_s:.1f} s at most</source>
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
      <source>The scan is no longer followed</source>
      <translation>Der Scan wird nicht mehr verfolgt</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Waiting for frames.</source>
      <translation>Warten auf Bilder.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Connecting …</source>
      <translation>Verbindung wird hergestellt …</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>The scan has ended</source>
      <translation>Der Scan ist zu Ende</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Running</source>
      <translation>Läuft</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>The scan cannot be followed.</source>
      <translation>Der Scan kann nicht verfolgt werden.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>The user stopped it here.</source>
      <translation>Der Benutzer hat ihn hier beendet.</translation>
    </message>
    <message>
      <location filename="app/live/following_model.py" />
      <source>Internal error: {name}: {e}</source>
      <translation>Interner Fehler: {name}: {e}</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>tcp://host:port of a sender, pva://channel of EPICS, a folder that receives images, or an HDF5 file that is being written</source>
      <translation>tcp://host:port eines Senders, pva://Kanal von EPICS, ein Ordner, der Bilder empfängt, oder eine HDF5-Datei, die gerade geschrieben wird</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>A stored scan with the same geometry, if the source provides none</source>
      <translation>Ein gespeicherter Scan mit derselben Geometrie, wenn die Quelle keine liefert</translation>
    </message>
    <message>
      <location filename="app/live/frames_form.py" />
      <source>Play a stored scan as if it were measured now, at this number of frames per second</source>
      <translation>Einen gespeicherten Scan abspielen, als würde er jetzt gemessen, mit so vielen Bildern pro Sekunde</translation>
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
      <source>Views in the slices</source>
      <translation>Ansichten in den Schichten</translation>
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
      <source>frames/s, stored scans only</source>
      <translation>Bilder/s, nur gespeicherte Scans</translation>
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
      <source>Rotation of the detector in its plane</source>
      <translation>Drehung des Detektors in seiner Ebene</translation>
    </message>
    <message>
      <location filename="app/live/live_controls.py" />
      <source>Column of the axis</source>
      <translation>Spalte der Achse</translation>
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
      <source>Maximum age of the newest event in the displayed image</source>
      <translation>Höchstes Alter des neuesten Ereignisses im angezeigten Bild</translation>
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
      <source>From, to</source>
      <translation>Von, bis</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Part of the scan in the image</source>
      <translation>Teil des Scans im Bild</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Received events, and events lost or skipped because time or memory was short</source>
      <translation>Empfangene Ereignisse, und solche, die aus Mangel an Zeit oder Speicher verloren oder übersprungen wurden</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Memory</source>
      <translation>Speicher</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Memory of the stored events</source>
      <translation>Speicher der gespeicherten Ereignisse</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>No motion so far</source>
      <translation>Bisher keine Bewegung</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Motion detection starts after some seconds</source>
      <translation>Die Bewegungserkennung beginnt nach einigen Sekunden</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>One image per motion-free period</source>
      <translation>Ein Bild je bewegungsfreiem Abschnitt</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>The full reconstruction makes one image for each period between two motions, instead of one image of all events</source>
      <translation>Die vollständige Rekonstruktion erzeugt ein Bild für jeden Abschnitt zwischen zwei Bewegungen statt eines Bildes aller Ereignisse</translation>
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
      <source>Orientation of the activity, if it is not round</source>
      <translation>Ausrichtung der Aktivität, wenn sie nicht rund ist</translation>
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
      <source>Motion {describe}</source>
      <translation>Bewegung {describe}</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Counts per second over time (s)</source>
      <translation>Ereignisse pro Sekunde über die Zeit (s)</translation>
    </message>
    <message>
      <location filename="app/live/pet_page.py" />
      <source>Thousand counts per second over time (s)</source>
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
      <source>Reset the slices: normal to z, y and x, through the centre</source>
      <translation>Die Schichten zurücksetzen: senkrecht zu z, y und x durch die Mitte</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Frames in</source>
      <translation>Bilder ein</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Projections received per second</source>
      <translation>Empfangene Projektionen pro Sekunde</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Slices out</source>
      <translation>Schichten aus</translation>
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
      <source>Time from the arrival of a frame to the slices that contain it: median and 99th percentile</source>
      <translation>Zeit von der Ankunft eines Bildes bis zu den Schichten, die es enthalten: Median und 99. Perzentil</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Frames</source>
      <translation>Frames</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Received projections, and projections lost or skipped because newer ones arrived</source>
      <translation>Empfangene Projektionen, und solche, die verloren gingen oder wegen neuerer übersprungen wurden</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Views in the slices, and the angle that they cover</source>
      <translation>Ansichten in den Schichten, und der Winkel, den sie abdecken</translation>
    </message>
    <message>
      <location filename="app/live/slices_page.py" />
      <source>Memory of views and slices</source>
      <translation>Speicher der Ansichten und Schichten</translation>
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
      <location filename="app/live/watch_page.py" />
      <source>kept for comparison</source>
      <translation>zum Vergleich behalten</translation>
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
      <source>Keep to compare</source>
      <translation>Zum Vergleich behalten</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Keep this image for comparison</source>
      <translation>Dieses Bild zum Vergleich behalten</translation>
    </message>
    <message>
      <location filename="app/live/watch_page.py" />
      <source>Show kept</source>
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
      <source>The name must end with one of {usual_suffixes}.</source>
      <translation>Der Name muss mit {usual_suffixes} enden.</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>{describe} voxels, {size} before compression</source>
      <translation>{describe} Voxel, {size} vor der Kompression</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>; with its {n_frames} {what} in {each}, else their sum or mean alone</source>
      <translation>; mit seinen {n_frames} {what} in {each}, sonst nur ihre Summe oder ihr Mittel</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>; {size} free</source>
      <translation>; {size} frei</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>. It will be of {name}, {number}</source>
      <translation>. Von wem: {name}, {number}</translation>
    </message>
    <message>
      <location filename="app/output/export/export_dialog.py" />
      <source>. The file exists ({exists}); you will be asked before it is replaced.</source>
      <translation>. Die Datei gibt es schon ({exists}); Sie werden gefragt, bevor sie ersetzt wird.</translation>
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
      <location filename="app/output/export/suv_choice.py" />
      <source>SUV {words}</source>
      <translation>SUV {words}</translation>
    </message>
    <message>
      <location filename="app/output/export/writing.py" />
      <source>{label}, before the finishing filters</source>
      <translation>{label}, vor den abschließenden Filtern</translation>
    </message>
    <message>
      <location filename="app/output/export/writing.py" />
      <source>{parent}: not enough free space; choose another folder.</source>
      <translation>{parent}: nicht genug freier Platz; wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
      <location filename="app/output/export/writing.py" />
      <source>memory holds {n} of {expected} frames of the file that was opened; write them with `isocenter export FILE OUT`, or export one frame alone.</source>
      <translation>Im Speicher sind {n} von {expected} Zeitbildern der geöffneten Datei; schreiben Sie sie mit `isocenter export DATEI ZIEL`, oder exportieren Sie ein Zeitbild allein.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>There is no result yet: it is kept once a run has ended.</source>
      <translation>Noch gibt es kein Ergebnis: Es wird behalten, sobald ein Lauf zu Ende ist.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>not known</source>
      <translation>nicht bekannt</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>Writing the report</source>
      <translation>Der Bericht wird geschrieben</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>The report was not written.</source>
      <translation>Der Bericht wurde nicht geschrieben.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_commands.py" />
      <source>Report: {path}</source>
      <translation>Bericht: {path}</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>The settings name no DICOM node to send to; add one there.</source>
      <translation>Die Einstellungen nennen keinen DICOM-Knoten als Empfänger; tragen Sie dort einen ein.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Report</source>
      <translation>Bericht</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>All that is known, not one page</source>
      <translation>Alles Bekannte, nicht nur eine Seite</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Facts of the scan, every setting, numbers of the image, all digests</source>
      <translation>Angaben zum Scan, jede Einstellung, Zahlen des Bildes, alle Prüfsummen</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Write the report to a file</source>
      <translation>Den Bericht in eine Datei schreiben</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Print …</source>
      <translation>Drucken …</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Print the pages</source>
      <translation>Die Seiten drucken</translation>
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
      <source>Send it to {node}</source>
      <translation>An {node} senden</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Making the preview</source>
      <translation>Vorschau wird erstellt</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>There is no preview of the report.</source>
      <translation>Es gibt keine Vorschau des Berichts.</translation>
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
      <source>Written: {path}</source>
      <translation>Geschrieben: {path}</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Making the pages</source>
      <translation>Die Seiten werden gemacht</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>The report was not printed.</source>
      <translation>Der Bericht wurde nicht gedruckt.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>{node} has taken the report.</source>
      <translation>{node} hat den Bericht angenommen.</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>Sending the report</source>
      <translation>Der Bericht wird gesendet</translation>
    </message>
    <message>
      <location filename="app/output/report/report_dialog.py" />
      <source>The report was not sent.</source>
      <translation>Der Bericht wurde nicht gesendet.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Accept</source>
      <translation>Annehmen</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Remarks</source>
      <translation>Bemerkungen</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Reject</source>
      <translation>Ablehnen</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Judge the image first: acceptable, with remarks, or not.</source>
      <translation>Beurteilen Sie zuerst das Bild: annehmbar, mit Bemerkungen, oder nicht.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Say what the remark is.</source>
      <translation>Geben Sie die Bemerkung an.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>The image is {judgement}</source>
      <translation>Das Bild ist {judgement}</translation>
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
      <source>Who signs; the settings list the people of the site</source>
      <translation>Wer freigibt; die Einstellungen führen die Personen der Einrichtung auf</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Sign off and report</source>
      <translation>Freigeben und berichten</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Open the report</source>
      <translation>Bericht öffnen</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>In the program for such files</source>
      <translation>Im Programm für solche Dateien</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>By</source>
      <translation>Von</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>Keep who judged it how, and write the report</source>
      <translation>Behalten, wer es wie beurteilt hat, und den Bericht schreiben</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>A reconstruction is running.</source>
      <translation>Eine Rekonstruktion läuft.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>It is signed off.</source>
      <translation>Es ist freigegeben.</translation>
    </message>
    <message>
      <location filename="app/output/report/sign_off.py" />
      <source>{describe}. Report: {name}</source>
      <translation>{describe}. Bericht: {name}</translation>
    </message>
    <message>
      <location filename="app/output/results/image_caption.py" />
      <source>The image of the last run, until the first of this one comes.</source>
      <translation>Das Bild des letzten Laufs, bis das erste von diesem kommt.</translation>
    </message>
    <message>
      <location filename="app/output/results/image_caption.py" />
      <source>What made the image</source>
      <translation>Was das Bild gemacht hat</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>This image is of {0.then}, not of the scan that is open, {0.now}.</source>
      <translation>Dieses Bild ist von {0.then}, nicht vom geöffneten Scan, {0.now}.</translation>
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
      <translation>Angeheftet: behalten, bis Sie es löschen</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Exported</source>
      <translation>Exportiert</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Made with {name}: {describe}.</source>
      <translation>Gemacht mit {name}: {describe}.</translation>
    </message>
    <message>
      <location filename="app/output/results/result_text.py" />
      <source>Changed since: {value}.</source>
      <translation>Seither geändert: {value}.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>No results yet. Every finished image is kept here with its settings and its time, so that nothing is lost when you start again, open another scan or quit.</source>
      <translation>Noch keine Ergebnisse. Jedes fertige Bild wird hier mit seinen Einstellungen und seiner Zeit behalten, sodass nichts verloren geht, wenn Sie neu starten, einen anderen Scan öffnen oder beenden.</translation>
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
      <translation>Einstellungen nehmen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Lay over the image, pin, delete, show in folder</source>
      <translation>Über das Bild legen, anheften, löschen, im Ordner zeigen</translation>
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
      <source>Lay over the volume on show</source>
      <translation>Über das gezeigte Volumen legen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Show, the image of the run stays open</source>
      <translation>Zeigen, das Bild des Laufs bleibt geöffnet</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Delete …</source>
      <translation>Löschen …</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Choose a result in the list.</source>
      <translation>Wählen Sie ein Ergebnis in der Liste.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Show this image with what made it (Return)</source>
      <translation>Dieses Bild zeigen, mit dem, was es gemacht hat (Eingabe)</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Take its protocol for the scan that is open</source>
      <translation>Sein Protokoll für den geöffneten Scan nehmen</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Delete {scan}, {name}, {created:%d %b %Y %H:%M}, </source>
      <translation>Löschen: {scan}, {name}, {created:%d.%m.%Y %H:%M}, </translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>from the disk?</source>
      <translation>vom Datenträger?</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source> It was not exported.</source>
      <translation> Es wurde nicht exportiert.</translation>
    </message>
    <message>
      <location filename="app/output/results/results_panel.py" />
      <source>Delete this result?</source>
      <translation>Dieses Ergebnis löschen?</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>No facts yet. What the scan says of itself stands here, and all that made an image.</source>
      <translation>Noch keine Angaben. Hier steht, was der Scan von sich sagt, und alles, was ein Bild gemacht hat.</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>Facts</source>
      <translation>Fakten</translation>
    </message>
    <message>
      <location filename="app/run/facts_panel.py" />
      <source>Facts of the scan and provenance of the image</source>
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
      <location filename="app/run/log_panel.py" />
      <source>look here: </source>
      <translation>hier ansehen: </translation>
    </message>
    <message>
      <location filename="app/run/log_panel.py" />
      <source>Log</source>
      <translation>Journal</translation>
    </message>
    <message>
      <location filename="app/run/log_panel.py" />
      <source>Nothing has happened yet.</source>
      <translation>Noch ist nichts geschehen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Where the time goes, how fast the work is and what the machine does, during a run.</source>
      <translation>Wohin die Zeit geht, wie schnell gearbeitet wird und was der Rechner tut, während eines Laufs.</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Write all of these numbers to a JSON file</source>
      <translation>Alle diese Zahlen in eine JSON-Datei schreiben</translation>
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
      <source>Memory traffic</source>
      <translation>Speicherverkehr</translation>
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
      <source>Time</source>
      <translation>Zeit</translation>
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
      <source>Profile written: {target}</source>
      <translation>Profil geschrieben: {target}</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Kernel</source>
      <translation>Kernel</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>A program that runs on the card.</source>
      <translation>Ein Programm, das auf der Karte läuft.</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Threads</source>
      <translation>Threads</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Registers</source>
      <translation>Register</translation>
    </message>
    <message>
      <location filename="app/run/profile_panel.py" />
      <source>Occupancy</source>
      <translation>Auslastung</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The scan comes from the disk.</source>
      <translation>Der Scan kommt vom Datenträger.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The kernels are compiled, or taken from where they were kept.</source>
      <translation>Die Kernel werden übersetzt, oder geholt, wo sie aufgehoben waren.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The response of the panels is read, or computed and kept for the next run.</source>
      <translation>Die Systemantwort der Panels wird gelesen, oder gerechnet und für den nächsten Lauf behalten.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>What each correction needs is worked out from the scan.</source>
      <translation>Was jede Korrektur braucht, wird aus dem Scan bestimmt.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Events are put in order so that neighbours cross the same voxels.</source>
      <translation>Ereignisse werden so geordnet, dass Nachbarn dieselben Voxel kreuzen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Events go from the memory of the machine to that of the card.</source>
      <translation>Ereignisse gehen vom Speicher des Rechners in den der Karte.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Scatter is simulated from coarse images of the scan, in rounds.</source>
      <translation>Streuung wird aus groben Bildern des Scans simuliert, in Runden.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>How well the scanner sees each voxel; kept on disk for the next run.</source>
      <translation>Wie gut der Scanner jedes Voxel sieht; auf dem Datenträger für den nächsten Lauf behalten.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is summed along the line of each event.</source>
      <translation>Das Bild wird entlang der Linie jedes Ereignisses summiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The ratio of each event is spread back along its line.</source>
      <translation>Das Verhältnis jedes Ereignisses wird entlang seiner Linie verteilt.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Forward and back in one go: each event reads its line and gives to its voxels.</source>
      <translation>Vor und zurück in einem: Jedes Ereignis liest seine Linie und gibt an ihre Voxel.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The new image is made from the sums, voxel by voxel.</source>
      <translation>Das neue Bild entsteht aus den Summen, Voxel für Voxel.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is smoothed, between iterations or at the end.</source>
      <translation>Das Bild wird geglättet, zwischen Iterationen oder am Ende.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is copied so that the window can show it.</source>
      <translation>Das Bild wird kopiert, damit das Fenster es zeigen kann.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The image is summed along the ray to each pixel.</source>
      <translation>Das Bild wird entlang des Strahls zu jedem Pixel summiert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Each pixel is spread back along its ray: the exact transpose of Forward.</source>
      <translation>Jedes Pixel wird entlang seines Strahls verteilt: die genaue Transponierte von Vorwärts.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>voxel updates</source>
      <translation>Voxel-Aktualisierungen</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Each voxel takes from each view what its shadow there shows. An update is one voxel in one view.</source>
      <translation>Jedes Voxel nimmt aus jeder Ansicht, was sein Schatten dort zeigt. Eine Aktualisierung ist ein Voxel in einer Ansicht.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Rows of the projections are weighted and filtered.</source>
      <translation>Zeilen der Projektionen werden gewichtet und gefiltert.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Projections go from the memory of the machine to that of the card.</source>
      <translation>Projektionen gehen vom Speicher des Rechners in den der Karte.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Forward</source>
      <translation>Vorwärts</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Forward/back</source>
      <translation>Vor/zurück</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Forward, by rays</source>
      <translation>Vorwärts, nach Strahlen</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Back, by rays</source>
      <translation>Zurück, nach Strahlen</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Events traced forward and back in one second of that work alone. Reading, sorting, sensitivity, updates, filters and previews are not counted.</source>
      <translation>Ereignisse, die in einer Sekunde allein dieser Arbeit vor und zurück verfolgt wurden. Lesen, Sortieren, Sensitivität, Aktualisierungen, Filter und Vorschauen zählen nicht.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Seconds of each stage so far, all its calls together, and its share of the sum. Work on a card is timed by the card's own clock.</source>
      <translation>Sekunden jedes Abschnitts bisher, alle seine Aufrufe zusammen, und sein Anteil an der Summe. Arbeit auf einer Karte misst die Uhr der Karte.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>What the work asks of the card's memory, worked out from the events and voxels, in each second; and its share of the most the memory can deliver. The card's caches serve part of it, so it can exceed 100 %; where the card waits for something else, it stays far below.</source>
      <translation>Was die Arbeit je Sekunde vom Speicher der Karte verlangt, errechnet aus Ereignissen und Voxeln; und ihr Anteil am Höchsten, was der Speicher liefern kann. Die Caches der Karte bedienen einen Teil, daher kann er 100 % übersteigen; wo die Karte auf anderes wartet, bleibt er weit darunter.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>What crosses between the machine and the card in each second.</source>
      <translation>Was je Sekunde zwischen Rechner und Karte übertragen wird.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Registers are the fastest storage of a thread. The fewer a kernel takes, the more threads fit on the card at once.</source>
      <translation>Register sind der schnellste Speicher eines Threads. Je weniger ein Kernel braucht, desto mehr Threads passen gleichzeitig auf die Karte.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Threads that fit on the card at once, of the most it can hold. More threads hide the time in which others wait for the memory; beyond about half, more seldom helps.</source>
      <translation>Threads, die gleichzeitig auf die Karte passen, von den höchstens möglichen. Mehr Threads verbergen die Zeit, in der andere auf den Speicher warten; über der Hälfte hilft mehr selten.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Threads that work in one block and share its memory.</source>
      <translation>Threads, die in einem Block arbeiten und seinen Speicher teilen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{clock} of work</source>
      <translation>{clock} Arbeit</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>traced forward and back, on {name}</source>
      <translation>vor und zurück verfolgt, auf {name}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>projected back, on {name}</source>
      <translation>zurückprojiziert, auf {name}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{text}, {peak_share} of peak</source>
      <translation>{text}, {peak_share} der Spitze</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Process memory</source>
      <translation>Prozessspeicher</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Memory of the machine that the engine's process holds.</source>
      <translation>Speicher des Rechners, den der Prozess der Rechenmaschine hält.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Processor</source>
      <translation>Prozessor</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{cpu_percent:.1f} cores busy</source>
      <translation>{cpu_percent:.1f} Kerne beschäftigt</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Processor cores that the engine keeps busy, on average of the last moments.</source>
      <translation>Prozessorkerne, die die Rechenmaschine beschäftigt, im Mittel der letzten Augenblicke.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>The reconstruction runs on the processor, on as many threads as named.</source>
      <translation>Die Rekonstruktion läuft auf dem Prozessor, auf so vielen Threads wie genannt.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>compute capability {compute_capability:.1f}</source>
      <translation>Compute Capability {compute_capability:.1f}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{size} of memory</source>
      <translation>{size} Speicher</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>at most {bytes_per_s} to and from it</source>
      <translation>höchstens {bytes_per_s} hin und zurück</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>driver for CUDA {driver}</source>
      <translation>Treiber für CUDA {driver}</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Memory of the card that is taken, by all programs together.</source>
      <translation>Belegter Speicher der Karte, von allen Programmen zusammen.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Card memory</source>
      <translation>Kartenspeicher</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Share of the last moments in which the card had something to do.</source>
      <translation>Anteil der letzten Augenblicke, in denen die Karte etwas zu tun hatte.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Card busy</source>
      <translation>Karte beschäftigt</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Electrical power the card draws, and the most it allows itself.</source>
      <translation>Elektrische Leistung, die die Karte zieht, und die höchste, die sie sich erlaubt.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Power</source>
      <translation>Leistung</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Temperature of the card's chip; near 90 °C it slows itself down.</source>
      <translation>Temperatur des Kartenchips; nahe 90 °C bremst er sich selbst.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Temperature</source>
      <translation>Temperatur</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Speed of the card's processors; it falls when the card is hot or idle.</source>
      <translation>Takt der Prozessoren der Karte; er fällt, wenn die Karte heiß oder untätig ist.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Clock</source>
      <translation>Takt</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{clock_mhz:,.0f} MHz</source>
      <translation>{clock_mhz:,.0f} MHz</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>Load, power and temperature of the card are not shown: {reason}.</source>
      <translation>Last, Leistung und Temperatur der Karte werden nicht gezeigt: {reason}.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{THREADS_TIP} Here they share {size}.</source>
      <translation>{THREADS_TIP} Hier teilen sie {size}.</translation>
    </message>
    <message>
      <location filename="app/run/profile_text.py" />
      <source>{REGISTERS_TIP} Here they do not suffice: each thread also uses {local_bytes} bytes of slow memory.</source>
      <translation>{REGISTERS_TIP} Hier reichen sie nicht: Jeder Thread braucht dazu {local_bytes} Bytes langsamen Speichers.</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Log-likelihood</source>
      <translation>Log-Likelihood</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Residual</source>
      <translation>Residuum</translation>
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
      <source>Warnings</source>
      <translation>Warnungen</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>{n_warnings}, see the log</source>
      <translation>{n_warnings}, siehe Journal</translation>
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
      <source>Stopped by a fault</source>
      <translation>Durch einen Fehler beendet</translation>
    </message>
    <message>
      <location filename="app/run/progress_panel.py" />
      <source>Aborted</source>
      <translation>Abgebrochen</translation>
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
      <source>Iteration</source>
      <translation>Iteration</translation>
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
      <source>The standard one</source>
      <translation>Die übliche</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Of the open study</source>
      <translation>Der geöffneten Studie</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Size of the work</source>
      <translation>Größe der Arbeit</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Device</source>
      <translation>Gerät</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Time [s]</source>
      <translation>Zeit [s]</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>Time: a whole number of seconds from {LEAST_S} to {MOST_S:,}.</source>
      <translation>Zeit: eine ganze Zahl von Sekunden von {LEAST_S} bis {MOST_S:,}.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/request_row.py" />
      <source>No device of this machine can be used.</source>
      <translation>Kein Gerät dieses Rechners ist verwendbar.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Kept form of</source>
      <translation>Behaltene Form von</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Size</source>
      <translation>Größe</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Nothing is kept: all kernels run as shipped.</source>
      <translation>Nichts ist behalten: Alle Kernel laufen wie ausgeliefert.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Each is used on images of its size to the nearest power of two, on its machine.</source>
      <translation>Jede gilt für Bilder ihrer Größe, auf die nächste Zweierpotenz, auf ihrem Rechner.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>The kernel runs as shipped again</source>
      <translation>Der Kernel läuft wieder wie ausgeliefert</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Forget</source>
      <translation>Vergessen</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>The list cannot be read.</source>
      <translation>Die Liste kann nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Select a form first</source>
      <translation>Wählen Sie zuerst eine Form</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Not everything was forgotten.</source>
      <translation>Nicht alles wurde vergessen.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>Forms that are kept</source>
      <translation>Behaltene Formen</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source>not used</source>
      <translation>nicht verwendet</translation>
    </message>
    <message>
      <location filename="app/run/tuning/stored_variants.py" />
      <source> Found with another version of Isocenter: tune again.</source>
      <translation> Mit einer anderen Version von Isocenter gefunden: Stimmen Sie neu ab.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/tuning_dialog.py" />
      <source>Kernels can cut their work up in many ways, and which is fastest depends on the machine. Forms are tried for a while; one is kept only if its numbers are right and it is faster than the shipped one beyond the noise.</source>
      <translation>Kernel können ihre Arbeit auf viele Arten aufteilen, und welche die schnellste ist, hängt vom Rechner ab. Eine Zeit lang werden Formen probiert; behalten wird eine nur, wenn ihre Zahlen stimmen und sie jenseits des Rauschens schneller ist als die ausgelieferte.</translation>
    </message>
    <message>
      <location filename="app/run/tuning/tuning_dialog.py" />
      <source>Tune this machine</source>
      <translation>Diesen Rechner abstimmen</translation>
    </message>
    <message>
      <location filename="app/run/tuning/tuning_dialog.py" />
      <source>Stop and keep</source>
      <translation>Beenden und behalten</translation>
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
      <source>Open the folder of a scan or a patient</source>
      <translation>Den Ordner eines Scans oder eines Patienten öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Import …</source>
      <translation>Importieren …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open TIFF images or raw values that do not describe themselves</source>
      <translation>TIFF-Bilder oder Rohwerte öffnen, die sich nicht selbst beschreiben</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Live …</source>
      <translation>Live …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Follow a scan while it is measured</source>
      <translation>Einem Scan folgen, während er gemessen wird</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Export …</source>
      <translation>Exportieren …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Write the image to a file</source>
      <translation>Das Bild in eine Datei schreiben</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Report …</source>
      <translation>Bericht …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save study …</source>
      <translation>Studie speichern …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Write files and protocol as a study</source>
      <translation>Dateien und Protokoll als Studie schreiben</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save protocol as …</source>
      <translation>Protokoll speichern als …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save these settings under a name</source>
      <translation>Diese Einstellungen unter einem Namen speichern</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Protocols …</source>
      <translation>Protokolle …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save, rename, lock, share and delete them</source>
      <translation>Speichern, umbenennen, sperren, teilen und löschen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Storage …</source>
      <translation>Speicherplatz …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Interrupted jobs and caches on the disk, and their end</source>
      <translation>Unterbrochene Aufträge und Zwischenspeicher auf dem Datenträger, und ihr Ende</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Settings …</source>
      <translation>Einstellungen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Site, folders, theme, device, technician's mode</source>
      <translation>Einrichtung, Ordner, Farben, Gerät, Modus für technisches Personal</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Technician's mode</source>
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
      <source>Undo setting</source>
      <translation>Einstellung zurücknehmen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Take the last change of the settings back</source>
      <translation>Die letzte Änderung der Einstellungen zurücknehmen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Redo setting</source>
      <translation>Einstellung wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Do the undone change again</source>
      <translation>Die zurückgenommene Änderung wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Reconstruct</source>
      <translation>Rekonstruieren</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Rest after this update (Space)</source>
      <translation>Nach dieser Aktualisierung ruhen (Leertaste)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Finish and keep</source>
      <translation>Abschließen und behalten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>End after this iteration, filter, keep the image</source>
      <translation>Nach dieser Iteration enden, filtern, das Bild behalten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Abort</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Stop now; the last image and checkpoint stay</source>
      <translation>Jetzt anhalten; das letzte Bild und der Sicherungspunkt bleiben</translation>
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
      <source>Studies that wait for their turn: order, pause, reasons</source>
      <translation>Studien, die warten, bis sie an der Reihe sind: Reihenfolge, Pause, Gründe</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Studies …</source>
      <translation>Studien …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>All studies, whose they are and how they stand; the worklist</source>
      <translation>Alle Studien, von wem sie sind und wie sie stehen; die Arbeitsliste</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Tune this machine …</source>
      <translation>Diesen Rechner abstimmen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Measure a normalisation …</source>
      <translation>Normalisierung messen …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Calibrate to Bq/mL …</source>
      <translation>In Bq/mL kalibrieren …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Views only</source>
      <translation>Nur Ansichten</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Give the pictures the whole window</source>
      <translation>Den Bildern das ganze Fenster geben</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Show or hide the log</source>
      <translation>Das Journal zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Light or dark</source>
      <translation>Hell oder dunkel</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Switch between light and dark</source>
      <translation>Zwischen hell und dunkel wechseln</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Steps apart</source>
      <translation>Schritte lösen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Results apart</source>
      <translation>Ergebnisse lösen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Guide</source>
      <translation>Handbuch</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>First scans step by step, corrections, formulas, files</source>
      <translation>Erste Scans Schritt für Schritt, Korrekturen, Formeln, Dateien</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Help and shortcuts</source>
      <translation>Hilfe und Tastenkürzel</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>How to use the window</source>
      <translation>Wie das Fenster benutzt wird</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Save support bundle …</source>
      <translation>Supportpaket speichern …</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Versions, settings, log and the last fault, without names, to send with a question</source>
      <translation>Versionen, Einstellungen, Journal und letzter Fehler, ohne Namen, um sie einer Frage beizulegen</translation>
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
      <source>Let names of files and folders go into images, provenance and logs; else pseudonyms stand for them, whose key stays with your settings</source>
      <translation>Namen von Dateien und Ordnern in Bilder, Herkunft und Journale lassen; sonst stehen Pseudonyme für sie, deren Schlüssel bei Ihren Einstellungen bleibt</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Names in what is written</source>
      <translation>Namen in Geschriebenem</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Reconstruct (Ctrl+R)</source>
      <translation>Rekonstruieren (Strg+R)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>No iterations are running.</source>
      <translation>Es laufen keine Iterationen.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>End after this iteration, filter, keep the image (Ctrl+K)</source>
      <translation>Nach dieser Iteration enden, filtern, das Bild behalten (Strg+K)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Nothing is running.</source>
      <translation>Nichts läuft.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Stop now; the last image and checkpoint stay (Ctrl+.)</source>
      <translation>Jetzt anhalten; das letzte Bild und der Sicherungspunkt bleiben (Strg+.)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Go on</source>
      <translation>Weiter</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>There is no image yet.</source>
      <translation>Noch gibt es kein Bild.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Write the image to a file (Ctrl+E)</source>
      <translation>Das Bild in eine Datei schreiben (Strg+E)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Follow a scan while it is measured (Ctrl+Shift+L)</source>
      <translation>Einem Scan folgen, während er gemessen wird (Strg+Umschalt+L)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open a scan, study, protocol or volume (Ctrl+O)</source>
      <translation>Einen Scan, eine Studie, ein Protokoll oder ein Volumen öffnen (Strg+O)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>A running scan is followed.</source>
      <translation>Einem laufenden Scan wird gefolgt.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Open a scan first.</source>
      <translation>Öffnen Sie zuerst einen Scan.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Write files and protocol as a study (Ctrl+S)</source>
      <translation>Dateien und Protokoll als Studie schreiben (Strg+S)</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>No change to undo.</source>
      <translation>Keine Änderung zurückzunehmen.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Undo</source>
      <translation>Zurücknehmen</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>No change to redo.</source>
      <translation>Keine Änderung zu wiederholen.</translation>
    </message>
    <message>
      <location filename="app/shell/actions.py" />
      <source>Redo</source>
      <translation>Wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>A protocol is left out: {sentence}</source>
      <translation>Ein Protokoll wird weggelassen: {sentence}</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source> {n_words} more in the log.</source>
      <translation> {n_words} weitere im Journal.</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>Not all settings could be used.</source>
      <translation>Nicht alle Einstellungen konnten verwendet werden.</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>{name}: {fault}. Please report it (Help &gt; Save support bundle).</source>
      <translation>{name}: {fault}. Bitte melden Sie es (Hilfe &gt; Supportpaket speichern).</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>A fault of ours.</source>
      <translation>Ein Fehler von uns.</translation>
    </message>
    <message>
      <location filename="app/shell/application.py" />
      <source>Your study and images are kept.</source>
      <translation>Ihre Studie und Ihre Bilder bleiben erhalten.</translation>
    </message>
    <message>
      <location filename="app/shell/central_area.py" />
      <source>What is shown of the scan</source>
      <translation>Was vom Scan gezeigt wird</translation>
    </message>
    <message>
      <location filename="app/shell/central_area.py" />
      <source>The last image, until a new one comes</source>
      <translation>Das letzte Bild, bis ein neues kommt</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Another device can be chosen once the run has ended.</source>
      <translation>Ein anderes Gerät kann gewählt werden, sobald der Lauf zu Ende ist.</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>The devices of this machine cannot be listed.</source>
      <translation>Die Geräte dieses Rechners können nicht aufgezählt werden.</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Automatic ({label})</source>
      <translation>Automatisch ({label})</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>The GPU if it can be used, else the CPU</source>
      <translation>Die GPU, wenn sie verwendbar ist, sonst die CPU</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Reconstructions run on: {describe}</source>
      <translation>Rekonstruktionen laufen auf: {describe}</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>Device: {label}</source>
      <translation>Gerät: {label}</translation>
    </message>
    <message>
      <location filename="app/shell/device_chooser.py" />
      <source>{label} (cannot be used)</source>
      <translation>{label} (nicht verwendbar)</translation>
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
      <translation>Scans und Bilder in dem Ordner</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/folder_dialog.py" />
      <source>The folder holds {n:,} scans and images. Choose one.</source>
      <translation>Der Ordner enthält {n:,} Scans und Bilder. Wählen Sie eines davon.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Images, raw values and arrays (*.tif *.tiff *.raw *.bin *.dat *.img *.vol *.npy *.npz *.mat *.mrc *.h5 *.hdf5 *.nxs);;All files (*)</source>
      <translation>Bilder, Rohwerte und Felder (*.tif *.tiff *.raw *.bin *.dat *.img *.vol *.npy *.npz *.mat *.mrc *.h5 *.hdf5 *.nxs);;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Open folder</source>
      <translation>Ordner öffnen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Import</source>
      <translation>Importieren</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Save study</source>
      <translation>Studie speichern</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Studies (*.toml)</source>
      <translation>Studien (*.toml)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Save protocol</source>
      <translation>Protokoll speichern</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Name of the protocol</source>
      <translation>Name des Protokolls</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Gathering facts without names</source>
      <translation>Angaben ohne Namen werden gesammelt</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>There is no support bundle.</source>
      <translation>Es gibt kein Supportpaket.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Save support bundle</source>
      <translation>Supportpaket speichern</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Archives (*.zip)</source>
      <translation>Archive (*.zip)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Written: {target}</source>
      <translation>Geschrieben: {target}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Isocenter {version}</source>
      <translation>Isocenter {version}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Turns PET and X-ray CT measurements into volumes.</source>
      <translation>Macht aus Messungen von PET und Röntgen-CT Volumina.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Research use only. Not for diagnosis or treatment.</source>
      <translation>Nur für die Forschung. Nicht für Diagnose oder Behandlung.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Free software, licence BSD-3-Clause.</source>
      <translation>Freie Software, Lizenz BSD-3-Clause.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Scans and studies</source>
      <translation>Scans und Studien</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Scanners</source>
      <translation>Scanner</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>Choose: {title}</source>
      <translation>Wählen: {title}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/questions.py" />
      <source>{name} ({patterns});;All files (*)</source>
      <translation>{name} ({patterns});;Alle Dateien (*)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Who signs reports off, with commas between; empty: the name of the login</source>
      <translation>Wer Berichte freigibt, durch Kommas getrennt; leer: der Anmeldename</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Settings</source>
      <translation>Einstellungen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Choose it on the disk</source>
      <translation>Auf dem Datenträger wählen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>That of the system</source>
      <translation>Die des Systems</translation>
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
      <source>From the next start of Isocenter on</source>
      <translation>Ab dem nächsten Start von Isocenter</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Theme</source>
      <translation>Farben</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Colours of the window</source>
      <translation>Farben des Fensters</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>What reconstructions run on</source>
      <translation>Worauf Rekonstruktionen laufen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Begin in the technician's mode</source>
      <translation>Im Modus für technisches Personal beginnen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Open, protocol, Start, judge, export and report, nothing else</source>
      <translation>Öffnen, Protokoll, Start, beurteilen, exportieren und berichten, sonst nichts</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>It ends the technician's mode</source>
      <translation>Es beendet den Modus für technisches Personal</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Technician</source>
      <translation>Technisches Personal</translation>
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
      <source>A passphrase has at least {LEAST_LETTERS} letters.</source>
      <translation>Ein Kennwort hat mindestens {LEAST_LETTERS} Zeichen.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>Once more</source>
      <translation>Noch einmal</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>The two are not the same; nothing was changed.</source>
      <translation>Die beiden sind nicht gleich; nichts wurde geändert.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/settings_dialog.py" />
      <source>{path}: no such folder; choose one that is there.</source>
      <translation>{path}: Diesen Ordner gibt es nicht; wählen Sie einen, den es gibt.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>What</source>
      <translation>Was</translation>
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
      <source>Looking at the disk …</source>
      <translation>Der Datenträger wird angesehen …</translation>
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
      <source>Caches are made again when they are needed; that takes time</source>
      <translation>Zwischenspeicher werden bei Bedarf neu angelegt; das kostet Zeit</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>The folders could not be read.</source>
      <translation>Die Ordner konnten nicht gelesen werden.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Isocenter keeps {total} on this computer for its own use. Interrupted jobs can be resumed; caches save time and are made again when they are needed. Results are deleted one by one, in the tab Results.</source>
      <translation>Isocenter behält {total} auf diesem Rechner für sich selbst. Unterbrochene Aufträge können fortgesetzt werden; Zwischenspeicher sparen Zeit und werden bei Bedarf neu angelegt. Ergebnisse werden einzeln gelöscht, im Reiter Ergebnisse.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>{n_chosen:,} selected, {size}</source>
      <translation>{n_chosen:,} ausgewählt, {size}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Select jobs or caches first; running jobs and results stay.</source>
      <translation>Wählen Sie zuerst Aufträge oder Zwischenspeicher; laufende Aufträge und Ergebnisse bleiben.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source> {n_jobs:,} of them can still be resumed, and no longer then.</source>
      <translation> {n_jobs:,} davon können noch fortgesetzt werden, danach nicht mehr.</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove {n:,} {value} ({total})?{jobs}</source>
      <translation>{n:,} entfernen ({total})?{jobs}</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Remove from the disk</source>
      <translation>Vom Datenträger entfernen</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/storage_dialog.py" />
      <source>Not everything was removed.</source>
      <translation>Nicht alles wurde entfernt.</translation>
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
      <source>{days:,.0f} day{value} ago</source>
      <translation>vor {days:,.0f} Tag(en)</translation>
    </message>
    <message>
      <location filename="app/shell/dialogs/support_dialog.py" />
      <source>This is all that the bundle holds. It has no image and no scan; names of patients, users, machines, files and folders are replaced by marks as [1]. Read it, save it, and send it with what you did and what you expected.</source>
      <translation>Das ist alles, was das Paket enthält. Es hat kein Bild und keinen Scan; Namen von Patienten, Benutzern, Rechnern, Dateien und Ordnern sind durch Zeichen wie [1] ersetzt. Lesen Sie es, speichern Sie es, und senden Sie es mit dem, was Sie taten und was Sie erwarteten.</translation>
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
      <source>Content of the file</source>
      <translation>Inhalt der Datei</translation>
    </message>
    <message>
      <location filename="app/shell/folded_warnings.py" />
      <source>Show or hide the warnings</source>
      <translation>Warnungen zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/shell/folded_warnings.py" />
      <source>1 warning</source>
      <translation>1 Warnung</translation>
    </message>
    <message>
      <location filename="app/shell/folded_warnings.py" />
      <source>{n} warnings</source>
      <translation>{n} Warnungen</translation>
    </message>
    <message>
      <location filename="app/shell/folded_warnings.py" />
      <source>Load {title} …</source>
      <translation>{title} laden …</translation>
    </message>
    <message>
      <location filename="app/shell/folded_warnings.py" />
      <source>Choose a file</source>
      <translation>Datei wählen</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Protocol</source>
      <translation>Protokoll</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Saved choice of grid, corrections, algorithm and filters</source>
      <translation>Gespeicherte Wahl von Gitter, Korrekturen, Algorithmus und Filtern</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>paused</source>
      <translation>angehalten</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>finishing</source>
      <translation>wird abgeschlossen</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>{clock} left</source>
      <translation>noch {clock}</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Slab {subset} of {subsets}, slices up to {slices:,}</source>
      <translation>Block {subset} von {subsets}, Schichten bis {slices:,}</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Frame {n} of {of}</source>
      <translation>Zeitabschnitt {n} von {of}</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>, update {k} of {parts}</source>
      <translation>, Aktualisierung {k} von {parts}</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>Iteration {n} of {of}</source>
      <translation>Iteration {n} von {of}</translation>
    </message>
    <message>
      <location filename="app/shell/header_bar.py" />
      <source>, subset {k} of {parts}</source>
      <translation>, Teilmenge {k} von {parts}</translation>
    </message>
    <message>
      <location filename="app/shell/header_parts.py" />
      <source>Pin this protocol</source>
      <translation>Dieses Protokoll anheften</translation>
    </message>
    <message>
      <location filename="app/shell/header_parts.py" />
      <source>{name!r} is pinned: each scan of {scanner} starts with it, until the day or the session ends. Press to unpin it.</source>
      <translation>{name!r} ist angeheftet: Jeder Scan von {scanner} beginnt damit, bis der Tag oder die Sitzung endet. Zum Lösen drücken.</translation>
    </message>
    <message>
      <location filename="app/shell/header_parts.py" />
      <source>Start each scan of {scanner} with {name!r}, as it is saved, until the day or the session ends</source>
      <translation>Jeden Scan von {scanner} mit {name!r} beginnen, wie es gespeichert ist, bis der Tag oder die Sitzung endet</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>From scans of a cylinder or a rotating line: how each crystal and line counts</source>
      <translation>Aus Scans eines Zylinders oder einer umlaufenden Linie: wie viel jeder Kristall und jede Linie zählt</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>From the image on show, of a cylinder of known activity: what one count stands for</source>
      <translation>Aus dem gezeigten Bild eines Zylinders bekannter Aktivität: wofür ein Ereignis steht</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Let this study, with its settings as they are, wait for its turn</source>
      <translation>Diese Studie mit ihren jetzigen Einstellungen warten lassen, bis sie an der Reihe ist</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Find the fastest kernels on this machine, and keep them for later runs</source>
      <translation>Die schnellsten Kernel auf diesem Rechner finden und für spätere Läufe behalten</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Sign the result off; save, print or send its report</source>
      <translation>Das Ergebnis freigeben; seinen Bericht speichern, drucken oder senden</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>Open, protocol, Start, judge, export and report, nothing else; or the way back</source>
      <translation>Öffnen, Protokoll, Start, beurteilen, exportieren und berichten, sonst nichts; oder der Weg zurück</translation>
    </message>
    <message>
      <location filename="app/shell/help/action_tips.py" />
      <source>In a window of their own, as for a second screen; close it, and they are back</source>
      <translation>In einem eigenen Fenster, etwa für einen zweiten Bildschirm; schließen Sie es, dann sind sie wieder da</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>Page of the guide</source>
      <translation>Seite des Handbuchs</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>Search the guide</source>
      <translation>Im Handbuch suchen</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>Pages of the guide</source>
      <translation>Seiten des Handbuchs</translation>
    </message>
    <message>
      <location filename="app/shell/help/guide.py" />
      <source>No page holds these words.</source>
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
      <source>1  Study</source>
      <translation>1  Studie</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Open a scan of PET or X-ray CT, or drop it on the window. Add a μ-map and crystal efficiencies to a PET scan if you have them.</source>
      <translation>Öffnen Sie einen Scan von PET oder Röntgen-CT, oder ziehen Sie ihn auf das Fenster. Fügen Sie einem PET-Scan eine μ-Karte und Kristalleffizienzen hinzu, wenn Sie sie haben.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>2  Corrections</source>
      <translation>2  Korrekturen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Each row says whether the correction is applied, what it did, or why it cannot be used.</source>
      <translation>Jede Zeile sagt, ob die Korrektur angewendet wird, was sie bewirkt hat, oder warum sie nicht verwendet werden kann.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>3, 4, 5  Settings</source>
      <translation>3, 4, 5  Einstellungen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Sound values are there already. Fast, Standard and Fine change voxels and iterations together.</source>
      <translation>Vernünftige Werte stehen schon da. Schnell, Standard und Fein ändern Voxel und Iterationen zusammen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Memory and time stand in the lowest line before you press it. While it runs you may pause, abort, or finish early and keep the image.</source>
      <translation>Speicher und Zeit stehen in der untersten Zeile, bevor Sie starten. Während des Laufs können Sie ruhen, abbrechen, oder früher abschließen und das Bild behalten.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>In the header. Automatic takes the GPU where there is one. If it fails, the last image is kept and you may go on on the CPU. Tune this machine, in the same menu, finds out in a minute which kernels are fastest here.</source>
      <translation>In der Kopfzeile. Automatisch nimmt die GPU, wo es eine gibt. Versagt sie, bleibt das letzte Bild erhalten, und Sie können auf der CPU weitermachen. Diesen Rechner abstimmen, im selben Menü, findet in einer Minute heraus, welche Kernel hier die schnellsten sind.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Beside the progress: where the time goes, and what the device reaches while it works.</source>
      <translation>Neben dem Fortschritt: wohin die Zeit geht, und was das Gerät dabei leistet.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Draw a line across a slice to see the values along it, with the width of the highest peak. Keep a curve to compare iterations.</source>
      <translation>Zeichnen Sie eine Linie durch eine Schicht, um die Werte entlang ihr zu sehen, mit der Breite der höchsten Spitze. Behalten Sie eine Kurve, um Iterationen zu vergleichen.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Draw balls, boxes, polygons or voxels in the slices to read mean, peak and volume in them. They are kept with their scan, and hold for every image of it.</source>
      <translation>Zeichnen Sie Kugeln, Quader, Polygone oder Voxel in die Schichten, um Mittelwert, Spitze und Volumen darin abzulesen. Sie werden mit ihrem Scan behalten und gelten für jedes seiner Bilder.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Every finished image is kept there with its settings. Open one, take its settings, pin or delete it.</source>
      <translation>Jedes fertige Bild wird dort mit seinen Einstellungen behalten. Öffnen Sie eines, nehmen Sie seine Einstellungen, heften Sie es an oder löschen Sie es.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Several volumes</source>
      <translation>Mehrere Volumina</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Over the views: lay a result, an iterate, the μ-map or any file over the volume on show, blended, swiped, side by side, as difference or ratio.</source>
      <translation>Über den Ansichten: Legen Sie ein Ergebnis, eine Iteration, die μ-Karte oder eine Datei über das gezeigte Volumen, überblendet, gewischt, nebeneinander, als Differenz oder Verhältnis.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Writes the image on show, or any kept iteration, with its provenance.</source>
      <translation>Schreibt das gezeigte Bild oder eine behaltene Iteration mit seiner Herkunft.</translation>
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
      <source>Save the protocol under a name</source>
      <translation>Das Protokoll unter einem Namen speichern</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Sign off, and report</source>
      <translation>Freigeben und berichten</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>All studies, and the worklist</source>
      <translation>Alle Studien, und die Arbeitsliste</translation>
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
      <source>Pause, go on</source>
      <translation>Ruhen, weiter</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+Shift+R, Ctrl+U</source>
      <translation>Strg+Umschalt+R, Strg+U</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Add the study to the queue, show the queue</source>
      <translation>Die Studie in die Warteschlange stellen, die Warteschlange zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+Z, Ctrl+Shift+Z</source>
      <translation>Strg+Z, Strg+Umschalt+Z</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Undo, redo a setting</source>
      <translation>Eine Einstellung zurücknehmen, wiederholen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>[ and ]</source>
      <translation>[ und ]</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Earlier, later iteration</source>
      <translation>Frühere, spätere Iteration</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Draw lines in the slices, or move the crosshair again</source>
      <translation>Linien in den Schichten zeichnen, oder wieder das Fadenkreuz bewegen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Play a film in the views, or rest</source>
      <translation>Einen Film in den Ansichten abspielen, oder ruhen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>A magnifying glass under the pointer</source>
      <translation>Eine Lupe unter dem Zeiger</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Several slices as one, or single slices again</source>
      <translation>Mehrere Schichten als eine, oder wieder einzelne</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Hide the volume that lies over another one, and show it again</source>
      <translation>Das Volumen verbergen, das über einem anderen liegt, und wieder zeigen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Turn the slice by a quarter, mirror it</source>
      <translation>Die Schicht um ein Viertel drehen, spiegeln</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Copy the views as a picture</source>
      <translation>Die Ansichten als Bild kopieren</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Volume, projections, geometry, slices in space of an X-ray scan</source>
      <translation>Volumen, Projektionen, Geometrie, Schichten im Raum eines Röntgenscans</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Ctrl+1 … 5</source>
      <translation>Strg+1 … 5</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Open or close a step</source>
      <translation>Einen Schritt öffnen oder schließen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Follow a running X-ray scan</source>
      <translation>Einem laufenden Röntgenscan folgen</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>This help</source>
      <translation>Diese Hilfe</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>The guide: first scans step by step, corrections, formulas, files</source>
      <translation>Das Handbuch: erste Scans Schritt für Schritt, Korrekturen, Formeln, Dateien</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>In a view</source>
      <translation>In einer Ansicht</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Drag left: crosshair. Drag right: window. Wheel: slices. Ctrl+wheel: zoom. Double click: enlarge.</source>
      <translation>Links ziehen: Fadenkreuz. Rechts ziehen: Fenster. Rad: Schichten. Strg+Rad: Zoom. Doppelklick: vergrößern.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Planes in 3-D</source>
      <translation>Ebenen im Raum</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Drag a plane: move it. Drag its round handles: turn it. 1, 2, 3: choose. PgUp, PgDn: move. Shift+arrows: turn. Arrows: look from elsewhere. R: planes, 0: view as at first.</source>
      <translation>Eine Ebene ziehen: verschieben. Ihre runden Griffe ziehen: drehen. 1, 2, 3: wählen. Bild auf, Bild ab: verschieben. Umschalt+Pfeile: drehen. Pfeile: von anderswo sehen. R: Ebenen, 0: Blick wie am Anfang.</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Help</source>
      <translation>Hilfe</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>How it goes</source>
      <translation>Wie es geht</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Shortcuts</source>
      <translation>Tastenkürzel</translation>
    </message>
    <message>
      <location filename="app/shell/help/help_dialog.py" />
      <source>Words</source>
      <translation>Text</translation>
    </message>
    <message>
      <location filename="app/shell/live_mode.py" />
      <source>Choose the source of the running scan.</source>
      <translation>Die Quelle der laufenden Messung wählen.</translation>
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
      <source>Exported: {target}</source>
      <translation>Exportiert: {target}</translation>
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
      <source>Nothing yet</source>
      <translation>Noch nichts</translation>
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
      <source>Go on from the last checkpoint</source>
      <translation>Vom letzten Sicherungspunkt weitermachen</translation>
    </message>
    <message>
      <location filename="app/shell/message_bar.py" />
      <source>The CPU does the same work, only slower</source>
      <translation>Die CPU tut dieselbe Arbeit, nur langsamer</translation>
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
      <location filename="app/shell/panels.py" />
      <source>Tabs before these</source>
      <translation>Reiter davor</translation>
    </message>
    <message>
      <location filename="app/shell/panels.py" />
      <source>Tabs behind these</source>
      <translation>Reiter dahinter</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Not for clinical use</source>
      <translation>Nicht für die klinische Anwendung</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Wait for it no longer</source>
      <translation>Nicht länger darauf warten</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Patient: {whose}</source>
      <translation>Patient: {whose}</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>The scan at hand is of {whose}; a click shows studies and worklist</source>
      <translation>Der offene Scan ist von {whose}; ein Klick zeigt Studien und Arbeitsliste</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>in queue</source>
      <translation>in der Warteschlange</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>failed</source>
      <translation>fehlgeschlagen</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Queue: {describe}</source>
      <translation>Warteschlange: {describe}</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Queue: {describe} (Ctrl+U shows it)</source>
      <translation>Warteschlange: {describe} (Strg+U zeigt sie)</translation>
    </message>
    <message>
      <location filename="app/shell/status_bar.py" />
      <source>Finished. Another run {text}</source>
      <translation>Fertig. Ein weiterer Lauf {text}</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>is none that the site has approved; choose one in the header.</source>
      <translation>ist keines, das die Einrichtung freigegeben hat; wählen Sie eines in der Kopfzeile.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>Unlock</source>
      <translation>Entsperren</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>That is not the passphrase.</source>
      <translation>Das ist nicht das Kennwort.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/mode.py" />
      <source>Unlock …</source>
      <translation>Entsperren …</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>not started</source>
      <translation>nicht gestartet</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>finished</source>
      <translation>fertig</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>aborted</source>
      <translation>abgebrochen</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>stopped by a fault</source>
      <translation>durch einen Fehler beendet</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>1  Scan</source>
      <translation>1  Scan</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>2  Protocol</source>
      <translation>2  Protokoll</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>3  Run</source>
      <translation>3  Lauf</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>4  Judge and sign off</source>
      <translation>4  Beurteilen und freigeben</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>Choose a scan (Ctrl+O)</source>
      <translation>Scan wählen (Strg+O)</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>No scan is open.</source>
      <translation>Es ist kein Scan geöffnet.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>Of {whose}.</source>
      <translation>Von {whose}.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>Once there is an image.</source>
      <translation>Sobald es ein Bild gibt.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>{kind} not applied: {text}.</source>
      <translation>{kind} nicht angewendet: {text}.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>Check the image and the warnings.</source>
      <translation>Bild und Warnungen prüfen.</translation>
    </message>
    <message>
      <location filename="app/shell/technician/panel.py" />
      <source>Check the image.</source>
      <translation>Bild prüfen.</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>The image of {title} is only in this window: it could not be kept on disk, and it is not exported. Give it up?</source>
      <translation>Das Bild von {title} ist nur in diesem Fenster: Es konnte nicht auf dem Datenträger behalten werden und ist nicht exportiert. Aufgeben?</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Image not kept</source>
      <translation>Bild nicht behalten</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Give it up</source>
      <translation>Aufgeben</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Closing the window aborts the run. The last image is kept among the results, and the last checkpoint stays: it can be resumed later.</source>
      <translation>Das Schließen des Fensters bricht den Lauf ab. Das letzte Bild wird bei den Ergebnissen behalten, und der letzte Sicherungspunkt bleibt: Er kann später fortgesetzt werden.</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>A reconstruction is running</source>
      <translation>Eine Rekonstruktion läuft</translation>
    </message>
    <message>
      <location filename="app/shell/unsaved_changes.py" />
      <source>Abort and close</source>
      <translation>Abbrechen und schließen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Play a simulated scan, and watch its</source>
      <translation>Einen simulierten Scan abspielen und zusehen:</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>slices come into focus</source>
      <translation>Schichten werden scharf</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>image form</source>
      <translation>Das Bild entsteht</translation>
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
      <source>Follow a running scan …</source>
      <translation>Einem laufenden Scan folgen …</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>The image while a scan is measured (Ctrl+Shift+L)</source>
      <translation>Das Bild, während ein Scan gemessen wird (Strg+Umschalt+L)</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Live {name} demo</source>
      <translation>Live-Demo {name}</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>End the simulation; nothing is opened</source>
      <translation>Die Simulation beenden; nichts wird geöffnet</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Turn a PET or X-ray CT scan into an image, and watch it form.</source>
      <translation>Aus einem PET- oder CT-Scan entsteht vor Ihren Augen ein Bild.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>… or drop a file anywhere on this window.</source>
      <translation>… oder ziehen Sie eine Datei irgendwo auf dieses Fenster.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome.py" />
      <source>Try a demo, simulated on this machine</source>
      <translation>Eine Demo ausprobieren, auf diesem Rechner simuliert</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>Something else was opened meanwhile, and stays. Choose the demo again: it is made by now and opens at once.</source>
      <translation>Inzwischen wurde etwas anderes geöffnet, und das bleibt. Wählen Sie die Demo noch einmal: Sie ist jetzt fertig und öffnet sich sofort.</translation>
    </message>
    <message>
      <location filename="app/shell/welcome_lists.py" />
      <source>No demo.</source>
      <translation>Keine Demo.</translation>
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
      <source>{done} of {updates} updates, {created:%d %b %H:%M}</source>
      <translation>{done} von {updates} Aktualisierungen, {created:%d.%m. %H:%M}</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>as its file says</source>
      <translation>wie ihre Datei sagt</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>found by likeness</source>
      <translation>durch Ähnlichkeit gefunden</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>by hand</source>
      <translation>von Hand</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>Starting …</source>
      <translation>Beginnt …</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>Stopped. Look again, or put the map in place by hand.</source>
      <translation>Beendet. Suchen Sie noch einmal, oder legen Sie die Karte von Hand hin.</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>{describe}, by hand.</source>
      <translation>{describe}, von Hand.</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>The map lies as its file says.</source>
      <translation>Die Karte liegt, wie ihre Datei sagt.</translation>
    </message>
    <message>
      <location filename="app/state/models/alignment.py" />
      <source>The map lies as its file says. By likeness: {found}</source>
      <translation>Die Karte liegt, wie ihre Datei sagt. Nach Ähnlichkeit: {found}</translation>
    </message>
    <message>
      <location filename="app/state/models/device_choice.py" />
      <source>Looking for the devices of this machine.</source>
      <translation>Die Geräte dieses Rechners werden gesucht.</translation>
    </message>
    <message>
      <location filename="app/state/models/device_choice.py" />
      <source>The GPU cannot be used. {why_not} Or choose another device above.</source>
      <translation>Die GPU kann nicht verwendet werden. {why_not} Oder wählen Sie oben ein anderes Gerät.</translation>
    </message>
    <message>
      <location filename="app/state/models/device_choice.py" />
      <source>{size} of {size_2} memory free</source>
      <translation>{size} von {size_2} Speicher frei</translation>
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
      <source>subsets</source>
      <translation>Subsets</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>off</source>
      <translation>aus</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>no</source>
      <translation>ohne</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>stopped</source>
      <translation>beendet</translation>
    </message>
    <message>
      <location filename="app/state/models/images/image_names.py" />
      <source>converged</source>
      <translation>konvergiert</translation>
    </message>
    <message>
      <location filename="app/state/models/images/patient_order.py" />
      <source>what is open</source>
      <translation>was offen ist</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>These are two patients.</source>
      <translation>Dies sind zwei Patienten.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>Two scans, perhaps two patients.</source>
      <translation>Zwei Scans, vielleicht zwei Patienten.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>Two frames of reference.</source>
      <translation>Zwei Bezugssysteme.</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>nothing says that both are of one patient</source>
      <translation>nichts sagt, dass beide von einem Patienten sind</translation>
    </message>
    <message>
      <location filename="app/state/models/images/volume_origin.py" />
      <source>how the patient lay is not known</source>
      <translation>wie der Patient lag, ist nicht bekannt</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Columns</source>
      <translation>Spalten</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Pixels in a row of an image</source>
      <translation>Pixel in einer Zeile eines Bildes</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Rows</source>
      <translation>Zeilen</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Rows of an image</source>
      <translation>Zeilen eines Bildes</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Type</source>
      <translation>Typ</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Type of the stored values</source>
      <translation>Typ der gespeicherten Werte</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Byte first</source>
      <translation>Erstes Byte</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Which byte of a value comes first</source>
      <translation>Welches Byte eines Werts zuerst kommt</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Bytes before the images</source>
      <translation>Bytes vor den Bildern</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Array</source>
      <translation>Feld</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Name of the projections in the file</source>
      <translation>Name der Projektionen in der Datei</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>What the values are</source>
      <translation>Was die Werte sind</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Scale</source>
      <translation>Faktor</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>What stored values are multiplied by; 0.001 for thousandths</source>
      <translation>Womit gespeicherte Werte multipliziert werden; 0.001 für Tausendstel</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Open beam</source>
      <translation>Offener Strahl</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Counts where nothing is in the way</source>
      <translation>Zählwert, wo nichts im Weg ist</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Flats</source>
      <translation>Hellbilder</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>A folder, a file, or what names begin with; none for none</source>
      <translation>Ein Ordner, eine Datei, oder womit Namen beginnen; none für keine</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Darks</source>
      <translation>Dunkelbilder</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Angles</source>
      <translation>Winkel</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>360 or 180 degrees in all; 0:0.5 for first and step; a text</source>
      <translation>insgesamt 360 oder 180 Grad; 0:0.5 für ersten und Schritt; ein Text</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Beam</source>
      <translation>Strahl</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>parallel, or source to axis and to detector in mm: 100,400</source>
      <translation>parallel, oder Quelle zur Achse und zum Detektor in mm: 100,400</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Pixel</source>
      <translation>Pixel</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Width on the detector in mm: 0.05, or 0.05,0.06</source>
      <translation>Breite auf dem Detektor in mm: 0.05, oder 0.05,0.06</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>First row</source>
      <translation>Erste Zeile</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Which row of an image comes first</source>
      <translation>Welche Zeile eines Bildes zuerst kommt</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Column that sees the rotation axis, from 0; blank: found</source>
      <translation>Spalte, die die Drehachse sieht, ab 0; leer: wird gesucht</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>{n_views:,} views of {rows:,} × {columns:,}: </source>
      <translation>{n_views:,} Ansichten von {rows:,} × {columns:,}: </translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Looking at the files …</source>
      <translation>Die Dateien werden angesehen …</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Still to be said: {value}. {remark}</source>
      <translation>Noch anzugeben: {value}. {remark}</translation>
    </message>
    <message>
      <location filename="app/state/models/import_model.py" />
      <source>Pick the slice that is sharp and no mirror image.</source>
      <translation>Nehmen Sie die Schicht, die scharf und kein Spiegelbild ist.</translation>
    </message>
    <message>
      <location filename="app/state/models/inputs.py" />
      <source>The scan does not say which scanner it is from; choose one in step 1.</source>
      <translation>Der Scan sagt nicht, von welchem Scanner er ist; wählen Sie einen in Schritt 1.</translation>
    </message>
    <message>
      <location filename="app/state/models/messages.py" />
      <source>The protocol {name!r} was taken, which suits this scan; {last!r} was for the last one.</source>
      <translation>Das Protokoll {name!r} wurde genommen, das zu diesem Scan passt; {last!r} war für den letzten.</translation>
    </message>
    <message>
      <location filename="app/state/models/messages.py" />
      <source>The protocol {name!r} is for {wanted} and the open scan is {open}; open a scan of {wanted} first.</source>
      <translation>Das Protokoll {name!r} ist für {wanted}, und der offene Scan ist {open}; öffnen Sie zuerst einen Scan der Art {wanted}.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Nothing is measured yet. Choose scans and say what was in the scanner, then Start.</source>
      <translation>Noch ist nichts gemessen. Wählen Sie Scans und geben Sie an, was im Scanner lag, dann Start.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source> ({number} of {n_scans})</source>
      <translation> ({number} von {n_scans})</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Counting the events of {name}{of}.</source>
      <translation>Die Ereignisse von {name}{of} werden gezählt.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Stopping.</source>
      <translation>Wird beendet.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>It rests. Go on when the machine is free again.</source>
      <translation>Sie ruht. Weiter, wenn der Rechner wieder frei ist.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source> It rests after this step.</source>
      <translation> Sie ruht nach diesem Schritt.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Starting a process of its own.{pausing}</source>
      <translation>Ein eigener Prozess wird gestartet.{pausing}</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Stopped; nothing was kept.</source>
      <translation>Beendet; nichts wurde behalten.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Step {n_changes}: the components change by {changes:.2g} of their standard errors; they have settled at {SMALL:g}.</source>
      <translation>Schritt {n_changes}: Die Komponenten ändern sich um {changes:.2g} ihrer Standardfehler; bei {SMALL:g} haben sie sich gesetzt.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>Measured from {count} counts in {steps} steps, on {name}. Save it to use it.</source>
      <translation>Aus {count} Ereignissen in {steps} Schritten gemessen, auf {name}. Speichern Sie sie, um sie zu verwenden.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>No count on a line through the source yet.</source>
      <translation>Noch kein Ereignis auf einer Linie durch die Quelle.</translation>
    </message>
    <message>
      <location filename="app/state/models/normalising_model.py" />
      <source>{count} counts on lines through the source: the median crystal is known to {crystal_error:.2g} %.</source>
      <translation>{count} Ereignisse auf Linien durch die Quelle: Der mittlere Kristall ist auf {crystal_error:.2g} % bekannt.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>comes with Isocenter</source>
      <translation>kommt mit Isocenter</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>of the site</source>
      <translation>der Einrichtung</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name!r} comes with Isocenter; save it under a name of your own.</source>
      <translation>{name!r} kommt mit Isocenter; speichern Sie es unter einem eigenen Namen.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name!r} is in the site's folder, which is only read; save it as your own.</source>
      <translation>{name!r} liegt im Ordner der Einrichtung, der nur gelesen wird; speichern Sie es als Ihr eigenes.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name!r} is locked; unlock it first.</source>
      <translation>{name!r} ist gesperrt; entsperren Sie es zuerst.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{site}: the site's folder of protocols is not there.</source>
      <translation>{site}: Den Protokollordner der Einrichtung gibt es nicht.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name}: is not as it was saved ({change}); open it as a file, look at its settings, and save them under a name.</source>
      <translation>{name}: ist nicht mehr, wie es gespeichert wurde ({change}); öffnen Sie es als Datei, sehen Sie die Einstellungen an, und speichern Sie sie unter einem Namen.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>There is a protocol {name!r} already ({whose}, version {revision}); choose another name, or rename or delete that one first.</source>
      <translation>Ein Protokoll {name!r} gibt es schon ({whose}, Version {revision}); wählen Sie einen anderen Namen, oder benennen Sie jenes zuerst um oder löschen Sie es.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>A protocol needs a name; type one.</source>
      <translation>Ein Protokoll braucht einen Namen; geben Sie einen ein.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>The protocol: {fault}.</source>
      <translation>Das Protokoll: {fault}.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/library.py" />
      <source>{name}: cannot be removed ({why}).</source>
      <translation>{name}: kann nicht entfernt werden ({why}).</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>changed</source>
      <translation>geändert</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Randoms model not stated in this protocol: chosen automatically.</source>
      <translation>Modell der Zufallskoinzidenzen in diesem Protokoll nicht angegeben: automatisch gewählt.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>Subsets not stated in this protocol: chosen automatically.</source>
      <translation>Subsets in diesem Protokoll nicht angegeben: automatisch gewählt.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>{describe} between iterations</source>
      <translation>{describe} zwischen Iterationen</translation>
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
      <source>It is not among the saved protocols.</source>
      <translation>Es gehört nicht zu den gespeicherten Protokollen.</translation>
    </message>
    <message>
      <location filename="app/state/models/protocols/text.py" />
      <source>voxels as the scan suggests</source>
      <translation>Voxel wie der Scan nahelegt</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Voxels twice as large, half the iterations: a first look</source>
      <translation>Voxel doppelt so groß, halb so viele Iterationen: ein erster Blick</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>As the protocol says</source>
      <translation>Wie das Protokoll sagt</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>Voxels two thirds as large, twice the iterations: for sharp, quiet scans</source>
      <translation>Voxel zwei Drittel so groß, doppelt so viele Iterationen: für scharfe, rauscharme Scans</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>2 × voxel size</source>
      <translation>2 × Voxelgröße</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>as the protocol says</source>
      <translation>wie das Protokoll sagt</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>⅔ voxel size</source>
      <translation>⅔ Voxelgröße</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>, ½ the iterations</source>
      <translation>, ½ Iterationen</translation>
    </message>
    <message>
      <location filename="app/state/models/quality.py" />
      <source>, 2 × iterations</source>
      <translation>, 2 × Iterationen</translation>
    </message>
    <message>
      <location filename="app/state/models/region_model.py" />
      <source>another region is called {name}</source>
      <translation>eine andere Region heißt {name}</translation>
    </message>
    <message>
      <location filename="app/state/models/region_model.py" />
      <source>the region holds no voxel of the image; make it larger.</source>
      <translation>In der Region liegt kein Voxel des Bildes; machen Sie sie größer.</translation>
    </message>
    <message>
      <location filename="app/state/models/result_list.py" />
      <source>1 result</source>
      <translation>1 Ergebnis</translation>
    </message>
    <message>
      <location filename="app/state/models/run_images.py" />
      <source>all frames</source>
      <translation>alle Zeitabschnitte</translation>
    </message>
    <message>
      <location filename="app/state/models/run_model.py" />
      <source>Finished.</source>
      <translation>Fertig.</translation>
    </message>
    <message>
      <location filename="app/state/models/run_model.py" />
      <source>{step} {iteration}, subset {subset}</source>
      <translation>{step} {iteration}, Teilmenge {subset}</translation>
    </message>
    <message>
      <location filename="app/state/models/run_model.py" />
      <source>frame {iteration}, {describe}</source>
      <translation>Zeitabschnitt {iteration}, {describe}</translation>
    </message>
    <message>
      <location filename="app/state/models/run_model.py" />
      <source>frame {k}, {describe}</source>
      <translation>Zeitabschnitt {k}, {describe}</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>From {owner}: kept for every scan of it since {day} {day_2:%b %Y}</source>
      <translation>Von {owner}: für jeden seiner Scans behalten seit {day}. {day_2:%m.%Y}</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>{name}: the file has changed or gone since it was kept for {owner}; choose it again and keep it anew.</source>
      <translation>{name}: Die Datei hat sich geändert oder ist weg, seit sie für {owner} behalten wurde; wählen Sie sie noch einmal und behalten Sie sie neu.</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>too long</source>
      <translation>zu lang</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>{FILE}: what was kept for scanners cannot be read ({e}) and was moved to {name}; keep the files anew.</source>
      <translation>{FILE}: Was für Scanner behalten wurde, kann nicht gelesen werden ({e}) und wurde nach {name} verschoben; behalten Sie die Dateien neu.</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>{folder}: the folder cannot be made ({e}).</source>
      <translation>{folder}: Der Ordner kann nicht angelegt werden ({e}).</translation>
    </message>
    <message>
      <location filename="app/state/models/scanner_inputs.py" />
      <source>a path that is no text</source>
      <translation>ein Pfad, der kein Text ist</translation>
    </message>
    <message>
      <location filename="app/state/models/session.py" />
      <source>Starting the engine</source>
      <translation>Die Rechenmaschine wird gestartet</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The window's settings in {path} are damaged ({reason}) and could not be moved aside ({why}); this window has the usual ones.</source>
      <translation>Die Einstellungen des Fensters in {path} sind beschädigt ({reason}) und konnten nicht beiseitegelegt werden ({why}); dieses Fenster hat die üblichen.</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>The window's settings were damaged ({reason}) and are the usual ones again; the damaged file is kept as {name} in {folder}.</source>
      <translation>Die Einstellungen des Fensters waren beschädigt ({reason}) und sind wieder die üblichen; die beschädigte Datei liegt als {name} in {folder}.</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>it is no file</source>
      <translation>es ist keine Datei</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>it cannot be read: {why}</source>
      <translation>es kann nicht gelesen werden: {why}</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>more than {n:,} bytes</source>
      <translation>mehr als {n:,} Bytes</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>it is no text</source>
      <translation>es ist kein Text</translation>
    </message>
    <message>
      <location filename="app/state/models/settings_file.py" />
      <source>line {number}</source>
      <translation>Zeile {number}</translation>
    </message>
    <message>
      <location filename="app/state/models/study_model.py" />
      <source>{name} is still being read.</source>
      <translation>{name} wird noch gelesen.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Later runs on images of this size use it, and say so in their provenance.</source>
      <translation>Spätere Läufe mit Bildern dieser Größe verwenden sie und sagen es in ihrer Herkunft.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Later runs go on as they were.</source>
      <translation>Spätere Läufe bleiben, wie sie waren.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{title} on {device}: {work}.</source>
      <translation>{title} auf {device}: {work}.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Nothing else should run meanwhile: it would slow some forms and not others.</source>
      <translation>Nichts anderes sollte inzwischen laufen: Es würde manche Formen bremsen und andere nicht.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Preparing: the work is made, and the shipped form compiled and run.</source>
      <translation>Vorbereitung: Die Arbeit wird angelegt, die ausgelieferte Form übersetzt und ausgeführt.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{count_words} Stopping.</source>
      <translation>{count_words} Wird beendet.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>None is faster than the shipped form beyond the noise yet.</source>
      <translation>Noch ist keine jenseits des Rauschens schneller als die ausgelieferte Form.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Best so far: {form_words}, {gain_words}.</source>
      <translation>Bisher beste: {form_words}, {gain_words}.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>, {faults} of them wrong or failed</source>
      <translation>, {faults} davon falsch oder fehlgeschlagen</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>{n} form{value} tried{bad}.</source>
      <translation>{n} Form(en) probiert{bad}.</translation>
    </message>
    <message>
      <location filename="app/state/models/tuning_model.py" />
      <source>Stopped. </source>
      <translation>Beendet. </translation>
    </message>
    <message>
      <location filename="app/state/services/alignment_job.py" />
      <source>The scan does not say which scanner it is from; choose one first.</source>
      <translation>Der Scan sagt nicht, von welchem Scanner er ist; wählen Sie zuerst einen.</translation>
    </message>
    <message>
      <location filename="app/state/services/alignment_job.py" />
      <source>The map was not compared.</source>
      <translation>Die Karte wurde nicht verglichen.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>No file is read.</source>
      <translation>Es wird keine Datei gelesen.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>the scan's own scanner</source>
      <translation>der Scanner des Scans selbst</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>{name} cannot be kept.</source>
      <translation>{name} kann nicht behalten werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>{name!r} is not saved.</source>
      <translation>{name!r} ist nicht gespeichert.</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>Protocol saved: {version_words}</source>
      <translation>Protokoll gespeichert: {version_words}</translation>
    </message>
    <message>
      <location filename="app/state/services/commands.py" />
      <source>{name} cannot be written.</source>
      <translation>{name} kann nicht geschrieben werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/demo_maker.py" />
      <source>The simulation stopped; perhaps the memory is used up.</source>
      <translation>Die Simulation ist abgebrochen; vielleicht ist der Speicher voll.</translation>
    </message>
    <message>
      <location filename="app/state/services/demo_maker.py" />
      <source>A fault of ours in the simulation: {format_exc}</source>
      <translation>Ein Fehler von uns in der Simulation: {format_exc}</translation>
    </message>
    <message>
      <location filename="app/state/services/import_job.py" />
      <source>The files were not looked at.</source>
      <translation>Die Dateien wurden nicht angesehen.</translation>
    </message>
    <message>
      <location filename="app/state/services/import_job.py" />
      <source>The text was not written.</source>
      <translation>Der Text wurde nicht geschrieben.</translation>
    </message>
    <message>
      <location filename="app/state/services/normalising_job.py" />
      <source>The normalisation was not measured.</source>
      <translation>Die Normalisierung wurde nicht gemessen.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>It was meant for {lost}, which was not opened.</source>
      <translation>Gemeint war {lost}, das nicht geöffnet wurde.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>The scan it was read for is not open any more; open it again.</source>
      <translation>Der Scan, für den sie gelesen wurde, ist nicht mehr geöffnet; öffnen Sie ihn noch einmal.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Something that belongs to this scan was left out.</source>
      <translation>Etwas, das zu diesem Scan gehört, wurde weggelassen.</translation>
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
      <source>You stopped it.</source>
      <translation>Sie haben es beendet.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{text} Choose its scanner or crystal map now, and the scan opens with it.</source>
      <translation>{text} Wählen Sie jetzt seinen Scanner oder seine Kristallkarte, dann wird der Scan damit geöffnet.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{what}. Copy the file again, or use what is complete; every image will say that its scan was cut off.</source>
      <translation>{what}. Kopieren Sie die Datei noch einmal, oder verwenden Sie, was vollständig ist; jedes Bild wird sagen, dass sein Scan abgeschnitten war.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Also dropped: {names}. Each can run with its own protocol.</source>
      <translation>Ebenfalls abgelegt: {names}. Jeder Scan kann mit seinem eigenen Protokoll laufen.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Queue the other scans, each with its own protocol</source>
      <translation>Die übrigen Scans in die Warteschlange stellen, jeden mit seinem eigenen Protokoll</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{name} is open.</source>
      <translation>{name} ist geöffnet.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>See what can be told from its files, and say what they leave open</source>
      <translation>Ansehen, was seine Dateien verraten, und angeben, was sie offen lassen</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>{name} does not describe itself.</source>
      <translation>{name} beschreibt sich nicht selbst.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Use the {n_events:,} complete events</source>
      <translation>Die {n_events:,} vollständigen Ereignisse verwenden</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>Open the scan without the record that its file ends within</source>
      <translation>Den Scan ohne den Datensatz öffnen, in dem seine Datei endet</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>A reconstruction is running; finish or abort it before changing the study.</source>
      <translation>Eine Rekonstruktion läuft; beenden Sie sie oder brechen Sie sie ab, bevor Sie die Studie ändern.</translation>
    </message>
    <message>
      <location filename="app/state/services/opening.py" />
      <source>The run goes on.</source>
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
      <source>There are no slices: the pictures of the scan found no room on the disk.</source>
      <translation>Es gibt keine Schichten: Die Bilder des Scans fanden keinen Platz auf dem Datenträger.</translation>
    </message>
    <message>
      <location filename="app/state/services/previews.py" />
      <source>There is no preview: the pictures of the scan found no room on the disk.</source>
      <translation>Es gibt keine Vorschau: Die Bilder des Scans fanden keinen Platz auf dem Datenträger.</translation>
    </message>
    <message>
      <location filename="app/state/services/previews.py" />
      <source>The preview failed.</source>
      <translation>Die Vorschau ist fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/state/services/projection_reader.py" />
      <source>The disk had no room for the projections; see the notes in step 1.</source>
      <translation>Der Datenträger hatte keinen Platz für die Projektionen; siehe die Hinweise in Schritt 1.</translation>
    </message>
    <message>
      <location filename="app/state/services/projection_reader.py" />
      <source>The projections cannot be shown.</source>
      <translation>Die Projektionen können nicht gezeigt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>Cannot be added to the queue. {obstacle}</source>
      <translation>Kann nicht in die Warteschlange. {obstacle}</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The study is not in the queue.</source>
      <translation>Die Studie ist nicht in der Warteschlange.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>Not everything is in the queue.</source>
      <translation>Nicht alles steht in der Warteschlange.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The queue does not run.</source>
      <translation>Die Warteschlange läuft nicht.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The queue could not be paused.</source>
      <translation>Die Warteschlange konnte nicht angehalten werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>Not changed.</source>
      <translation>Nicht geändert.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The study could not be paused.</source>
      <translation>Die Studie konnte nicht angehalten werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The study could not be resumed.</source>
      <translation>Die Studie konnte nicht fortgesetzt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The study cannot be tried again.</source>
      <translation>Die Studie kann nicht wiederholt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The study was not removed.</source>
      <translation>Die Studie wurde nicht entfernt.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The queue is as it was.</source>
      <translation>Die Warteschlange ist, wie sie war.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The order is as it was.</source>
      <translation>Die Reihenfolge ist, wie sie war.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>Added to the queue: {title}.</source>
      <translation>In der Warteschlange: {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>Finished in the queue: {title}.</source>
      <translation>In der Warteschlange fertig: {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>{title} failed in the queue.</source>
      <translation>{title} ist in der Warteschlange fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/state/services/queue_commands.py" />
      <source>The next one begins.</source>
      <translation>Die nächste beginnt.</translation>
    </message>
    <message>
      <location filename="app/state/services/raw_projections.py" />
      <source>It may hold X-ray projections. Import it: what its files leave open is asked.</source>
      <translation>Sie könnte Röntgenprojektionen enthalten. Importieren Sie sie: Gefragt wird, was ihre Dateien offen lassen.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>the {purpose} of another kind</source>
      <translation>{purpose} anderer Art</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>a {purpose}</source>
      <translation>{purpose}</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: this is {what}, not a scan; choose a scan, or drop the file on the window to open it as what it is.</source>
      <translation>{name}: Dies ist {what}, kein Scan; wählen Sie einen Scan, oder legen Sie die Datei auf das Fenster, um sie als das zu öffnen, was sie ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>No scan is open; open the scan that this {role} belongs to first.</source>
      <translation>Kein Scan ist offen; öffnen Sie zuerst den Scan, zu dem dies gehört: {role}.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>The study is of {title}, to which no {role} belongs.</source>
      <translation>Die Studie ist von der Art {title}; dazu gehört nicht: {role}.</translation>
    </message>
    <message>
      <location filename="app/state/services/reading.py" />
      <source>{name}: the scan does not say which scanner it is from; choose one in step 1 first.</source>
      <translation>{name}: Der Scan sagt nicht, von welchem Scanner er ist; wählen Sie ihn zuerst in Schritt 1.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result cannot be opened.</source>
      <translation>Das Ergebnis kann nicht geöffnet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>Reading the result of {scan}</source>
      <translation>Das Ergebnis von {scan} wird gelesen</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The settings cannot be used.</source>
      <translation>Die Einstellungen können nicht verwendet werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result was not deleted.</source>
      <translation>Das Ergebnis wurde nicht gelöscht.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result does not say whose it is.</source>
      <translation>Im Ergebnis steht nicht, von wem es ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>A reconstruction is running; wait for its end, or finish or abort it.</source>
      <translation>Eine Rekonstruktion läuft; warten Sie auf ihr Ende, beenden Sie sie oder brechen Sie sie ab.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>The result could not be marked.</source>
      <translation>Das Ergebnis konnte nicht markiert werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>Deleted: the result of {title}.</source>
      <translation>Gelöscht: das Ergebnis von {title}.</translation>
    </message>
    <message>
      <location filename="app/state/services/result_commands.py" />
      <source>Result of {created:%d %b %Y %H:%M}.</source>
      <translation>Ergebnis vom {created:%d.%m.%Y %H:%M}.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Aborted.</source>
      <translation>Abgebrochen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The last image could not be kept among the results; export it before you go on.</source>
      <translation>Das letzte Bild konnte nicht bei den Ergebnissen behalten werden; exportieren Sie es, bevor Sie weitermachen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Cannot start. {obstacle}</source>
      <translation>Start nicht möglich. {obstacle}</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The job cannot be resumed.</source>
      <translation>Der Auftrag kann nicht fortgesetzt werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Finishing after this iteration.</source>
      <translation>Nach dieser Iteration wird beendet.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>Aborting.</source>
      <translation>Wird abgebrochen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The reconstruction cannot start.</source>
      <translation>Die Rekonstruktion kann nicht beginnen.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The reconstruction stopped.</source>
      <translation>Die Rekonstruktion hat angehalten.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The engine stopped.</source>
      <translation>Die Rechenmaschine hat angehalten.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>The run on the GPU stopped.</source>
      <translation>Der Lauf auf der GPU hat angehalten.</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>{verb} on the CPU ({time})</source>
      <translation>{verb} auf der CPU ({time})</translation>
    </message>
    <message>
      <location filename="app/state/services/runner.py" />
      <source>{verb} on the CPU</source>
      <translation>{verb} auf der CPU</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>Replace</source>
      <translation>Ersetzen</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>Not written</source>
      <translation>Nicht geschrieben</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>Replace a file</source>
      <translation>Eine Datei ersetzen</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>These files exist</source>
      <translation>Diese Dateien gibt es schon</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>This file exists</source>
      <translation>Diese Datei gibt es schon</translation>
    </message>
    <message>
      <location filename="app/state/services/saving.py" />
      <source>{them} in {parent}:

{listed}

Replace {which}?</source>
      <translation>{them} in {parent}:

{listed}

{which} ersetzen?</translation>
    </message>
    <message>
      <location filename="app/state/services/scan_regions.py" />
      <source>{name}: this file holds regions of another scan, so it is left as it is; give the study another name. The study itself is written.</source>
      <translation>{name}: Diese Datei enthält Regionen eines anderen Scans und bleibt deshalb, wie sie ist; geben Sie der Studie einen anderen Namen. Die Studie selbst ist geschrieben.</translation>
    </message>
    <message>
      <location filename="app/state/services/scan_regions.py" />
      <source>Regions: {path}</source>
      <translation>Regionen: {path}</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_reader.py" />
      <source>The slices failed.</source>
      <translation>Die Schichten sind fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Slices (*.nii.gz *.mha *.tif)</source>
      <translation>Schichten (*.nii.gz *.mha *.tif)</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Keep the slices</source>
      <translation>Schichten behalten</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>The slices cannot be kept.</source>
      <translation>Die Schichten können nicht behalten werden.</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Slices kept: {value}</source>
      <translation>Schichten behalten: {value}</translation>
    </message>
    <message>
      <location filename="app/state/services/slice_saving.py" />
      <source>Keeping the slices</source>
      <translation>Die Schichten werden geschrieben</translation>
    </message>
    <message>
      <location filename="app/state/services/sweep_job.py" />
      <source>No candidates.</source>
      <translation>Keine Kandidaten.</translation>
    </message>
    <message>
      <location filename="app/state/services/sweep_job.py" />
      <source>There is no scan to try values with.</source>
      <translation>Es gibt keinen Scan, an dem Werte zu probieren wären.</translation>
    </message>
    <message>
      <location filename="app/state/services/threads.py" />
      <source>The engine could not be run: {name}: {e}.</source>
      <translation>Die Rechenmaschine konnte nicht gestartet werden: {name}: {e}.</translation>
    </message>
    <message>
      <location filename="app/state/services/threads.py" />
      <source>A fault of ours: {name}: {e}; please report it.</source>
      <translation>Ein Fehler von uns: {name}: {e}; bitte melden Sie ihn.</translation>
    </message>
    <message>
      <location filename="app/state/services/tuning_job.py" />
      <source>The kernels were not tuned.</source>
      <translation>Die Kernel wurden nicht abgestimmt.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>the result of {scan}</source>
      <translation>das Ergebnis von {scan}</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>{what}: not shown, since another scan is open now.</source>
      <translation>{what}: nicht gezeigt, weil jetzt ein anderer Scan geöffnet ist.</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>Reading {what}</source>
      <translation>{what} wird gelesen</translation>
    </message>
    <message>
      <location filename="app/state/services/volume_commands.py" />
      <source>The volume cannot be shown.</source>
      <translation>Das Volumen kann nicht gezeigt werden.</translation>
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
      <source>Add one more at the end of the list</source>
      <translation>Am Ende der Liste eines hinzufügen</translation>
    </message>
    <message>
      <location filename="app/ui/forms/choices.py" />
      <source>Present</source>
      <translation>Vorhanden</translation>
    </message>
    <message>
      <location filename="app/ui/forms/field_facts.py" />
      <source>Must be a number</source>
      <translation>Muss eine Zahl sein</translation>
    </message>
    <message>
      <location filename="app/ui/forms/field_facts.py" />
      <source>{problem}, got {given!r}.</source>
      <translation>{problem}, eingegeben: {given!r}.</translation>
    </message>
    <message>
      <location filename="app/ui/forms/text_editors.py" />
      <source>Date and time such as 2026-11-22 11:00. Append +01:00 for the time zone.</source>
      <translation>Datum und Uhrzeit wie 2026-11-22 11:00. Für die Zeitzone +01:00 anhängen.</translation>
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
      <source>Kinds of files</source>
      <translation>Dateiarten</translation>
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
      <source>A single test that back projection is the exact transpose of projection.</source>
      <translation>Ein einmaliger Test, ob die Rückprojektion genau die Transponierte der Projektion ist.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Attenuation</source>
      <translation>Schwächung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Absorption and scatter of photons in the patient before they reach a crystal. The μ-map gives its strength at each place.</source>
      <translation>Absorption und Streuung von Photonen im Patienten, bevor sie einen Kristall erreichen. Die μ-Karte gibt die Stärke an jeder Stelle an.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Background variability</source>
      <translation>Schwankung des Hintergrunds</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>NEMA measure of noise: the variation between equal regions of the uniform background, in percent of their mean.</source>
      <translation>Rauschmaß der NEMA: die Schwankung zwischen gleichen Regionen des gleichmäßigen Hintergrunds, in Prozent ihres Mittelwerts.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Bad pixels</source>
      <translation>Schlechte Pixel</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Detector pixels that are dead or too bright. The median of their neighbours replaces them.</source>
      <translation>Detektorpixel, die tot oder zu hell sind. Der Median ihrer Nachbarn ersetzt sie.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Beam hardening</source>
      <translation>Strahlaufhärtung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Low-energy X-rays are absorbed first, so the centre of thick parts looks too dark.</source>
      <translation>Energiearme Röntgenstrahlung wird zuerst absorbiert. Deshalb erscheint die Mitte dicker Teile zu dunkel.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Binning</source>
      <translation>Zusammenfassen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The sum of neighbouring pixels or views. It reduces noise, detail and computing time.</source>
      <translation>Die Summe benachbarter Pixel oder Ansichten. Sie verringert Rauschen, Details und Rechenzeit.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Block</source>
      <translation>Block</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Crystals with a common readout.</source>
      <translation>Kristalle mit gemeinsamer Auslese.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Calibration</source>
      <translation>Kalibrierung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The factor from counts/mm to Bq/mL, measured with a known activity.</source>
      <translation>Der Faktor von counts/mm zu Bq/mL, gemessen mit einer bekannten Aktivität.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Centre of rotation</source>
      <translation>Drehzentrum</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The detector column that sees the rotation axis. A wrong value doubles edges.</source>
      <translation>Die Detektorspalte, auf die die Drehachse fällt. Ein falscher Wert verdoppelt Kanten.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Checkpoint</source>
      <translation>Sicherungspunkt</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The saved state of a run, from which it can continue later.</source>
      <translation>Der gespeicherte Zustand eines Laufs, von dem aus er später fortgesetzt werden kann.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Standard deviation divided by the mean. In a uniform region it measures noise.</source>
      <translation>Standardabweichung geteilt durch den Mittelwert. In einer gleichmäßigen Region ist sie ein Maß für das Rauschen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Compiling</source>
      <translation>Übersetzen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The program is prepared for this computer. The result is stored for the next run.</source>
      <translation>Das Programm wird für diesen Rechner vorbereitet. Das Ergebnis wird für den nächsten Lauf gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The difference between the region and its background, in percent of the background.</source>
      <translation>Der Unterschied zwischen der Region und ihrem Hintergrund, in Prozent des Hintergrunds.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Contrast recovery</source>
      <translation>Kontrastwiedergabe</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The part of a sphere's true contrast that the image shows. Small spheres lose contrast because of the limited resolution.</source>
      <translation>Der Anteil am wahren Kontrast einer Kugel, den das Bild zeigt. Kleine Kugeln verlieren Kontrast durch die begrenzte Auflösung.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The difference between the region and its background, in standard deviations of the background.</source>
      <translation>Der Unterschied zwischen der Region und ihrem Hintergrund, in Standardabweichungen des Hintergrunds.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The data for each correction are computed from the scan.</source>
      <translation>Die Daten für jede Korrektur werden aus dem Scan berechnet.</translation>
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
      <source>Images without beam, and of the beam without object. They remove the pattern of the detector.</source>
      <translation>Bilder ohne Strahl und Bilder des Strahls ohne Objekt. Mit ihnen wird das Muster des Detektors entfernt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Dead time</source>
      <translation>Totzeit</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The time during which the scanner is busy and cannot count. It lowers the measured activity.</source>
      <translation>Die Zeit, in der der Scanner beschäftigt ist und nicht zählen kann. Sie verringert die gemessene Aktivität.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Delayeds</source>
      <translation>Verzögerte</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences with an artificial delay. All of them are random, so they measure the randoms.</source>
      <translation>Koinzidenzen mit einer künstlichen Verzögerung. Alle sind zufällig und messen deshalb die Zufallskoinzidenzen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Detector roll</source>
      <translation>Rollwinkel des Detektors</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A small rotation of the detector in its plane. It doubles edges above and below the middle.</source>
      <translation>Eine kleine Drehung des Detektors in seiner Ebene. Sie verdoppelt Kanten über und unter der Mitte.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Edges of blocks</source>
      <translation>Blockränder</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Crystals at the edge of a block or panel count less, because photons scatter out of it.</source>
      <translation>Kristalle am Rand eines Blocks oder Panels zählen weniger, weil Photonen hinausstreuen.</translation>
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
      <source>Direct CT reconstruction: each projection is filtered and projected back. FDK is the form for cone beams.</source>
      <translation>Direkte CT-Rekonstruktion: Jede Projektion wird gefiltert und zurückprojiziert. FDK ist die Form für Kegelstrahlen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Filters and units of the finished image.</source>
      <translation>Filter und Einheiten des fertigen Bildes.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A part of the scan time with an image of its own.</source>
      <translation>Ein Teil der Scanzeit mit einem eigenen Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Frequency of</source>
      <translation>Frequenz von</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The spatial frequency at which this part of the contrast remains.</source>
      <translation>Die Ortsfrequenz, bei der dieser Teil des Kontrasts übrig bleibt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>FWHM</source>
      <translation>FWHM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Full width at half maximum: the width of the image of a point. A smaller value means a sharper image.</source>
      <translation>Halbwertsbreite: die Breite des Bildes eines Punktes. Ein kleinerer Wert bedeutet ein schärferes Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>FWTM</source>
      <translation>FWTM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Full width at tenth maximum: the width of the image of a point near its base. It shows the tails.</source>
      <translation>Zehntelwertsbreite: die Breite des Bildes eines Punktes nahe seinem Fuß. Sie zeigt die Ausläufer.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Gate</source>
      <translation>Gate</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A part of the heart or breathing cycle with an image of its own.</source>
      <translation>Ein Teil des Herz- oder Atemzyklus mit einem eigenen Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Geometry of the lines</source>
      <translation>Geometrie der Linien</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The geometric efficiency of a line of response, from distance, tilt and depth of its two crystals.</source>
      <translation>Die geometrische Empfindlichkeit einer Antwortlinie, aus Abstand, Neigung und Tiefe ihrer beiden Kristalle.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Half fan</source>
      <translation>Halbfächer</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>An offset detector that sees half of the object in each view.</source>
      <translation>Ein versetzter Detektor, der in jeder Ansicht das halbe Objekt sieht.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>One pass over all data. More iterations give a sharper and noisier image.</source>
      <translation>Ein Durchgang durch alle Daten. Mehr Iterationen ergeben ein schärferes und stärker verrauschtes Bild.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Level</source>
      <translation>Höhe</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The mean of the image, compared with the true value of the phantom.</source>
      <translation>Der Mittelwert des Bildes, verglichen mit dem wahren Wert des Phantoms.</translation>
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
      <source>A record of every single event, in the order of detection.</source>
      <translation>Die Aufzeichnung jedes einzelnen Ereignisses in der Reihenfolge der Messung.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>How well the image explains the measured events. It rises and levels off. After that, iterations add more noise than detail.</source>
      <translation>Wie gut das Bild die gemessenen Ereignisse erklärt. Sie steigt und flacht ab. Danach bringen Iterationen mehr Rauschen als Details.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Logarithm</source>
      <translation>Logarithmus</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Converts transmission to attenuation along each ray.</source>
      <translation>Rechnet die Transmission in die Schwächung entlang jedes Strahls um.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>MLEM</source>
      <translation>MLEM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Iterative PET reconstruction with all data in each update. OSEM with one subset is MLEM.</source>
      <translation>Iterative PET-Rekonstruktion mit allen Daten in jeder Aktualisierung. OSEM mit einer Teilmenge ist MLEM.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Modulation transfer</source>
      <translation>Modulationsübertragung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The remaining contrast of details at each spatial frequency (MTF).</source>
      <translation>Der verbleibende Kontrast von Details bei jeder Ortsfrequenz (MTF).</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>μ-map</source>
      <translation>μ-Karte</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>An image of the linear attenuation coefficient for photons of 511 keV.</source>
      <translation>Ein Bild des linearen Schwächungskoeffizienten für Photonen von 511 keV.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Noise power</source>
      <translation>Rauschleistung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Noise at each spatial frequency (NPS). It shows if the noise is fine or coarse.</source>
      <translation>Das Rauschen bei jeder Ortsfrequenz (NPS). Es zeigt, ob das Rauschen fein oder grob ist.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Normalisation</source>
      <translation>Normalisierung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Correction for the different efficiencies of crystals and lines. Without it, rings and stripes appear.</source>
      <translation>Korrektur der unterschiedlichen Empfindlichkeiten von Kristallen und Linien. Ohne sie erscheinen Ringe und Streifen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>OSEM</source>
      <translation>OSEM</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Iterative PET reconstruction with one subset of the data in each update. It is faster than MLEM.</source>
      <translation>Iterative PET-Rekonstruktion mit einer Teilmenge der Daten in jeder Aktualisierung. Sie ist schneller als MLEM.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The highest mean of a 1 mL sphere in the region. It is less noisy than the maximum.</source>
      <translation>Der höchste Mittelwert einer Kugel von 1 mL in der Region. Er ist weniger verrauscht als das Maximum.</translation>
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
      <source>Saved settings of a reconstruction: voxels, corrections, algorithm and filters.</source>
      <translation>Gespeicherte Einstellungen einer Rekonstruktion: Voxel, Korrekturen, Algorithmus und Filter.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Provenance</source>
      <translation>Herkunft</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The record of an image: files, settings and versions. It is stored with the image.</source>
      <translation>Das Protokoll der Entstehung eines Bildes: Dateien, Einstellungen und Versionen. Es wird mit dem Bild gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Pseudonym</source>
      <translation>Pseudonym</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A code such as study-1a2b3c4d that replaces a name in files.</source>
      <translation>Ein Kürzel wie study-1a2b3c4d, das in Dateien einen Namen ersetzt.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences of two photons from different decays. They add a haze to the image.</source>
      <translation>Koinzidenzen zweier Photonen aus verschiedenen Zerfällen. Sie legen einen Schleier über das Bild.</translation>
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
      <source>A volume of interest (VOI), in which the image is measured.</source>
      <translation>Ein Teilvolumen (VOI), in dem das Bild gemessen wird.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The part of the measurement that the image does not explain. It falls and levels off.</source>
      <translation>Der Teil der Messung, den das Bild nicht erklärt. Er fällt und flacht ab.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Residual in the lung</source>
      <translation>Rest in der Lunge</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The signal in the lung insert, which contains no activity. It shows remaining errors of scatter or attenuation.</source>
      <translation>Das Signal im Lungeneinsatz, der keine Aktivität enthält. Es zeigt verbleibende Fehler von Streuung oder Schwächung.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Resolution</source>
      <translation>Auflösung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The point spread of the scanner, as part of the model. Small objects regain contrast and edges get sharper. Without a filter, edges become slightly too bright.</source>
      <translation>Die Punktverbreiterung des Scanners als Teil des Modells. Kleine Objekte gewinnen Kontrast zurück und Kanten werden schärfer. Ohne Filter werden Kanten etwas zu hell.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Response</source>
      <translation>Systemantwort</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The probability that each pair of crystals detects a decay in each voxel. It is computed once and stored.</source>
      <translation>Die Wahrscheinlichkeit, dass jedes Kristallpaar einen Zerfall in jedem Voxel nachweist. Sie wird einmal berechnet und gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Rings</source>
      <translation>Ringe</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Circles around the axis, caused by detector pixels that count too much or too little.</source>
      <translation>Kreise um die Achse durch Detektorpixel, die zu viel oder zu wenig zählen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Rotation axis</source>
      <translation>Drehachse</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The line about which the source or the object rotates.</source>
      <translation>Die Linie, um die sich die Quelle oder das Objekt dreht.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Scatter</source>
      <translation>Streuung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences in which a photon changed direction in the patient. They add a haze, mostly in the centre.</source>
      <translation>Koinzidenzen, bei denen ein Photon im Patienten seine Richtung geändert hat. Sie legen einen Schleier über das Bild, vor allem in der Mitte.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Sensitivity</source>
      <translation>Sensitivität</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The detection efficiency of the scanner for each voxel. It is stored on disk for the next run.</source>
      <translation>Die Nachweisempfindlichkeit des Scanners für jedes Voxel. Sie wird für den nächsten Lauf auf dem Datenträger gespeichert.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Short scan</source>
      <translation>Kurzscan</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>A scan over less than a full circle. Only some of its rays are measured twice.</source>
      <translation>Ein Scan über weniger als einen Vollkreis. Nur ein Teil seiner Strahlen wird zweimal gemessen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Sinogram</source>
      <translation>Sinogramm</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Counts, sorted by the direction and the distance of their lines.</source>
      <translation>Zählwerte, geordnet nach Richtung und Abstand ihrer Linien.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Spill-over</source>
      <translation>Überstrahlung</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The signal in a part without activity, in percent of the background.</source>
      <translation>Das Signal in einem Teil ohne Aktivität, in Prozent des Hintergrunds.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Spread of voxels</source>
      <translation>Streuung der Voxel</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The standard deviation of the voxels in a uniform part: a measure of noise.</source>
      <translation>Die Standardabweichung der Voxel in einem gleichmäßigen Teil: ein Maß für das Rauschen.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The typical distance of the voxels from their mean. In a uniform region it measures noise.</source>
      <translation>Der typische Abstand der Voxel von ihrem Mittelwert. In einer gleichmäßigen Region ist er ein Maß für das Rauschen.</translation>
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
      <source>Standardised uptake value: the activity concentration, divided by the dose per gram of body weight. A uniform distribution gives 1.</source>
      <translation>Standardisierter Aufnahmewert: die Aktivitätskonzentration, geteilt durch die Dosis je Gramm Körpergewicht. Eine gleichmäßige Verteilung ergibt 1.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Time of flight</source>
      <translation>Flugzeit (TOF)</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The difference between the arrival times of the two photons. It shows roughly where on its line a decay took place.</source>
      <translation>Der Unterschied der Ankunftszeiten beider Photonen. Er zeigt ungefähr, wo auf seiner Linie ein Zerfall stattfand.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Trues</source>
      <translation>Wahre Koinzidenzen</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Coincidences of two photons from one decay, neither of them scattered.</source>
      <translation>Koinzidenzen zweier ungestreuter Photonen aus einem Zerfall.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Uniformity</source>
      <translation>Gleichmäßigkeit</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The variation of the image within a uniform object.</source>
      <translation>Die Schwankung des Bildes innerhalb eines gleichmäßigen Objekts.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Units</source>
      <translation>Einheiten</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Converts counts to activity with a calibration of the scanner. Without a calibration, values are relative.</source>
      <translation>Rechnet Zählwerte mit einer Kalibrierung des Scanners in Aktivität um. Ohne Kalibrierung sind die Werte relativ.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The signal between two rods, divided by their height. A lower value means better resolved rods.</source>
      <translation>Das Signal zwischen zwei Stäben, geteilt durch ihre Höhe. Ein kleinerer Wert bedeutet besser getrennte Stäbe.</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>Voxel</source>
      <translation>Voxel</translation>
    </message>
    <message>
      <location filename="app/ui/theme/glossary.py" />
      <source>The smallest element of a volume, as a pixel is of a picture.</source>
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
      <source>The upper volume is semi-transparent over the lower one</source>
      <translation>Das obere Volumen liegt halbtransparent über dem unteren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Swipe</source>
      <translation>Wischen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>A border divides the two volumes. Drag it in a view.</source>
      <translation>Eine Grenze trennt die beiden Volumina. Ziehen Sie sie in einer Ansicht.</translation>
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
      <source>Difference</source>
      <translation>Differenz</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>First volume minus second volume; the window is centred on 0</source>
      <translation>Erstes Volumen minus zweites Volumen; das Fenster ist um 0 zentriert</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Ratio</source>
      <translation>Verhältnis</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>First volume divided by second volume; the window is centred on 1</source>
      <translation>Erstes Volumen geteilt durch zweites Volumen; das Fenster ist um 1 zentriert</translation>
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
      <source>Rotate, flip or copy the view that you used last, and set the patient position</source>
      <translation>Die zuletzt benutzte Ansicht drehen, spiegeln oder kopieren und die Patientenlage setzen</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Swap the volumes. Regions and values refer to the first one. PET stays on top.</source>
      <translation>Volumina vertauschen. Regionen und Werte gelten für das erste. PET bleibt oben.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/fusion_bar.py" />
      <source>Hide below window</source>
      <translation>Unter Fenster ausblenden</translation>
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
      <source>Opacity of the upper volume (O: hide it)</source>
      <translation>Deckkraft des oberen Volumens (O: ausblenden)</translation>
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
      <source>The volume states the patient position.</source>
      <translation>Das Volumen gibt die Patientenlage an.</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Patient position</source>
      <translation>Patientenlage</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the {name} view</source>
      <translation>Ansicht {name} kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy the projection</source>
      <translation>Projektion kopieren</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Copy all views	Ctrl+C</source>
      <translation>Alle Ansichten kopieren	Strg+C</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Rotate clockwise	T</source>
      <translation>Im Uhrzeigersinn drehen	T</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/view_menu.py" />
      <source>Rotate anticlockwise</source>
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
      <source>Unknown</source>
      <translation>Unbekannt</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/volume_menu.py" />
      <source>Image of the run, if there is one</source>
      <translation>Bild des Laufs, falls vorhanden</translation>
    </message>
    <message>
      <location filename="app/viewing/fusion/volume_menu.py" />
      <source>Iterates</source>
      <translation>Iterationen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Rotating projection</source>
      <translation>Rotierende Projektion</translation>
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
      <source>Films (*.gif *.png)</source>
      <translation>Filme (*.gif *.png)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Record one pass as GIF, or lossless as animated PNG</source>
      <translation>Einen Durchlauf als GIF aufnehmen, oder verlustfrei als animiertes PNG</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Content of the film</source>
      <translation>Inhalt des Films</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Content of the film. All views follow.</source>
      <translation>Inhalt des Films. Alle Ansichten folgen.</translation>
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
      <source>Save film</source>
      <translation>Film speichern</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Cancel the recording. No file is written.</source>
      <translation>Aufnahme abbrechen. Es wird keine Datei geschrieben.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Close the film (K also closes it)</source>
      <translation>Film schließen (K schließt ihn auch)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Film</source>
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
      <source>Save the {plane} view …</source>
      <translation>Ansicht {plane} speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save the projection …</source>
      <translation>Projektion speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Save all views …</source>
      <translation>Alle Ansichten speichern …</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Cancel ({n_done} of {n_all})</source>
      <translation>Abbrechen ({n_done} von {n_all})</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/cine_bar.py" />
      <source>Film: {target}</source>
      <translation>Film: {target}</translation>
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
      <source>Light-box shows</source>
      <translation>Der Lichtkasten zeigt</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/layout_menu.py" />
      <source>Light-box, {rows} × {columns}</source>
      <translation>Lichtkasten, {rows} × {columns}</translation>
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
      <source>One slice in {spacing}</source>
      <translation>Jede {spacing}. Schicht</translation>
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
      <source>Minimum along each line: shows airways and vessels without contrast agent</source>
      <translation>Minimum entlang jeder Linie: zeigt Atemwege und Gefäße ohne Kontrastmittel</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/slab_bar.py" />
      <source>Value shown for the slab</source>
      <translation>Angezeigter Wert der dicken Schicht</translation>
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
      <source>Show four views, one large view, or a light-box of many slices. The program remembers the choice.</source>
      <translation>Vier Ansichten, eine große Ansicht oder einen Lichtkasten aus vielen Schichten zeigen. Das Programm merkt sich die Wahl.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Play a film of the rotating projection, slices, iterations or frames, and save it (K)</source>
      <translation>Einen Film der rotierenden Projektion, von Schichten, Iterationen oder Zeitabschnitten abspielen und speichern (K)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Magnify 3 × under the pointer, or at the crosshair with the keyboard (Z)</source>
      <translation>Dreifach vergrößern: unter dem Zeiger, oder mit der Tastatur am Fadenkreuz (Z)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Combine several slices into one: maximum, mean or minimum (B)</source>
      <translation>Mehrere Schichten zu einer verbinden: Maximum, Mittelwert oder Minimum (B)</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag from end to end in a slice. The distance is saved with the scan.</source>
      <translation>In einer Schicht von Ende zu Ende ziehen. Der Abstand wird mit dem Scan gespeichert.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag from the end of one leg to the vertex, then click the end of the other leg</source>
      <translation>Vom Ende eines Schenkels zum Scheitel ziehen, dann das Ende des anderen anklicken</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag from its tail to its tip in a slice</source>
      <translation>In einer Schicht vom Schaft zur Spitze ziehen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Click in a slice to place a text</source>
      <translation>In eine Schicht klicken, um einen Text zu setzen</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Drag along a vessel or a jaw in a slice. The Measure tab shows it straightened.</source>
      <translation>In einer Schicht an einem Gefäß oder Kiefer entlang ziehen. Der Reiter Messen zeigt es gestreckt.</translation>
    </message>
    <message>
      <location filename="app/viewing/viewer_tools/tools.py" />
      <source>Layout</source>
      <translation>Anordnung</translation>
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
      <source>{n_nan} NaN values are shown as 0</source>
      <translation>{n_nan} NaN-Werte werden als 0 gezeigt</translation>
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
      <source>Lower window limit of the second volume</source>
      <translation>Untere Fenstergrenze des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Upper window limit of the second volume</source>
      <translation>Obere Fenstergrenze des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Automatic window of the second volume</source>
      <translation>Automatisches Fenster des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Window presets of the second volume</source>
      <translation>Fenster-Voreinstellungen des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Colour map of the second volume</source>
      <translation>Farbtabelle des zweiten Volumens</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Lower window limit of the comparison</source>
      <translation>Untere Fenstergrenze des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Upper window limit of the comparison</source>
      <translation>Obere Fenstergrenze des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Automatic window of the comparison</source>
      <translation>Automatisches Fenster des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Window presets of the comparison</source>
      <translation>Fenster-Voreinstellungen des Vergleichs</translation>
    </message>
    <message>
      <location filename="app/views/colour/window_controls.py" />
      <source>Colour map of the comparison</source>
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
      <source>A difference needs the same unit in both volumes. They have {lower} and {upper}.</source>
      <translation>Eine Differenz braucht dieselbe Einheit in beiden Volumina. Sie haben {lower} und {upper}.</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>Twice as wide</source>
      <translation>Doppelt so weit</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>Half as wide</source>
      <translation>Halb so weit</translation>
    </message>
    <message>
      <location filename="app/views/fusion/fusion_state.py" />
      <source>A fifth as wide</source>
      <translation>Ein Fünftel so weit</translation>
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
      <source>Each fitting step adds a point here</source>
      <translation>Jeder Anpassungsschritt fügt hier einen Punkt hinzu</translation>
    </message>
    <message>
      <location filename="app/views/plots/convergence_plot.py" />
      <source>Largest change of a component in each step, in standard errors. Dashed line: converged.</source>
      <translation>Größte Änderung einer Komponente in jedem Schritt, in Standardfehlern. Gestrichelte Linie: konvergiert.</translation>
    </message>
    <message>
      <location filename="app/views/plots/convergence_plot.py" />
      <source>Change of the components in each step</source>
      <translation>Änderung der Komponenten in jedem Schritt</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_view.py" />
      <source>The curve starts after the first iteration</source>
      <translation>Die Kurve beginnt nach der ersten Iteration</translation>
    </message>
    <message>
      <location filename="app/views/plots/curve_view.py" />
      <source>{title} by iteration</source>
      <translation>{title} je Iteration</translation>
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
      <source>Draw a line across a slice to see the values along it</source>
      <translation>Zeichnen Sie eine Linie durch eine Schicht, um die Werte entlang ihr zu sehen</translation>
    </message>
    <message>
      <location filename="app/views/plots/line_plot.py" />
      <source>distance from end 1 [{length}]</source>
      <translation>Abstand von Ende 1 [{length}]</translation>
    </message>
    <message>
      <location filename="app/views/plots/line_plot.py" />
      <source>Values along the line</source>
      <translation>Werte entlang der Linie</translation>
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
      <source>Each time frame adds a point to the curve</source>
      <translation>Jeder Zeitabschnitt fügt der Kurve einen Punkt hinzu</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_plot.py" />
      <source>Each tested variant adds a point here</source>
      <translation>Jede getestete Variante fügt hier einen Punkt hinzu</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_plot.py" />
      <source>Time of one run [ms]. Dots: variants, hollow if measured in an earlier search. Dashed line: default variant. Steps: best so far. Triangles: slower than the plot range. Crosses: wrong or failed.</source>
      <translation>Zeit eines Laufs [ms]. Punkte: Varianten, hohl, wenn in einer früheren Suche gemessen. Gestrichelte Linie: Standardvariante. Stufen: bisher beste. Dreiecke: langsamer als der dargestellte Bereich. Kreuze: falsch oder fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_plot.py" />
      <source>variant number</source>
      <translation>Nummer der Variante</translation>
    </message>
    <message>
      <location filename="app/views/plots/tuning_plot.py" />
      <source>Times of the tested variants</source>
      <translation>Zeiten der getesteten Varianten</translation>
    </message>
    <message>
      <location filename="app/views/scan/block_map.py" />
      <source>Counts of each detector block in the last second: around the ring and along the axis</source>
      <translation>Ereignisse jedes Detektorblocks in der letzten Sekunde: um den Ring und entlang der Achse</translation>
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
      <source>Counts of the detector blocks</source>
      <translation>Ereignisse der Detektorblöcke</translation>
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
      <source>view {view}, column {column}, row {row}:  {value} {unit} (bad pixel)</source>
      <translation>Ansicht {view}, Spalte {column}, Zeile {row}:  {value} {unit} (schlechtes Pixel)</translation>
    </message>
    <message>
      <location filename="app/views/scan/detector_state.py" />
      <source>view {view}, column {column}, row {row}:  {value} {unit}</source>
      <translation>Ansicht {view}, Spalte {column}, Zeile {row}:  {value} {unit}</translation>
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
      <source>rows drawn {factor} × as high</source>
      <translation>Zeilen {factor} × so hoch gezeichnet</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_painter.py" />
      <source>first view</source>
      <translation>erste Ansicht</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_painter.py" />
      <source>to the axis</source>
      <translation>zur Achse</translation>
    </message>
    <message>
      <location filename="app/views/scan/scan_painter.py" />
      <source>to the detector</source>
      <translation>zum Detektor</translation>
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
      <source>No iterates yet</source>
      <translation>Noch keine Iterationen</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Iterate</source>
      <translation>Iteration</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Step through the stored iterates ([ and ])</source>
      <translation>Durch die gespeicherten Iterationen blättern ([ und ])</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Latest</source>
      <translation>Neueste</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>The latest iterate is displayed, and the view follows new ones</source>
      <translation>Die neueste Iteration wird angezeigt, und die Ansicht folgt neuen</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Show the latest iterate and follow new ones</source>
      <translation>Die neueste Iteration zeigen und neuen folgen</translation>
    </message>
    <message>
      <location filename="app/views/scrubber.py" />
      <source>Iteration 00 of 00</source>
      <translation>Iteration 00 von 00</translation>
    </message>
    <message>
      <location filename="app/views/slices/curved_view.py" />
      <source>Along the curve</source>
      <translation>Entlang der Kurve</translation>
    </message>
    <message>
      <location filename="app/views/slices/light_box.py" />
      <source>{plane} slice {place} of the light-box</source>
      <translation>{plane} Schicht {place} des Lichtkastens</translation>
    </message>
    <message>
      <location filename="app/views/slices/mip_view.py" />
      <source>Maximum along each line of sight. Drag to rotate. These values are higher than those of a slice, so the window can be wider.</source>
      <translation>Maximum entlang jeder Sichtlinie. Ziehen, um zu drehen. Diese Werte sind höher als die einer Schicht, deshalb kann das Fenster weiter sein.</translation>
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
      <location filename="app/views/slices/mip_view.py" />
      <source>MIP window: {gain:g} ×</source>
      <translation>MIP-Fenster: {gain:g} ×</translation>
    </message>
    <message>
      <location filename="app/views/slices/ortho_view.py" />
      <source>No image yet</source>
      <translation>Noch kein Bild</translation>
    </message>
    <message>
      <location filename="app/views/slices/region_slices.py" />
      <source>Image with the region in which the mean is measured</source>
      <translation>Bild mit der Region, in der der Mittelwert gemessen wird</translation>
    </message>
    <message>
      <location filename="app/views/slices/region_slices.py" />
      <source>Slices of the image with the region</source>
      <translation>Schichten des Bildes mit der Region</translation>
    </message>
    <message>
      <location filename="app/views/slices/slab.py" />
      <source>MIP</source>
      <translation>MIP</translation>
    </message>
    <message>
      <location filename="app/views/slices/slab.py" />
      <source>MinIP</source>
      <translation>MinIP</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>patient position set by you</source>
      <translation>Patientenlage von Ihnen gesetzt</translation>
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
      <source>{plane} view, second volume</source>
      <translation>Ansicht {plane}, zweites Volumen</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>{plane} view</source>
      <translation>Ansicht {plane}</translation>
    </message>
    <message>
      <location filename="app/views/slices/slice_view.py" />
      <source>blurred along {value}</source>
      <translation>verwischt entlang {value}</translation>
    </message>
    <message>
      <location filename="app/views/text.py" />
      <source>not a number</source>
      <translation>keine Zahl</translation>
    </message>
    <message>
      <location filename="app/views/view_toolbar.py" />
      <source>Interpolate between voxels, or show each voxel as a block (I)</source>
      <translation>Zwischen Voxeln interpolieren oder jedes Voxel als Block zeigen (I)</translation>
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
      <source>Walk through the views; in the drawing also by wheel, PgUp, PgDn</source>
      <translation>Durch die Ansichten gehen; in der Zeichnung auch mit Rad, Bild auf, Bild ab</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_page.py" />
      <source>Scan</source>
      <translation>Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_page.py" />
      <source>Look at the scan: {name}</source>
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
      <source>{spread} {unit}, square to it</source>
      <translation>{spread} {unit}, senkrecht dazu</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Magnification</source>
      <translation>Vergrößerung</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Rays towards</source>
      <translation>Strahlen nach</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Detector centre</source>
      <translation>Mitte des Detektors</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>u, one column on</source>
      <translation>u, eine Spalte weiter</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>v, one row on</source>
      <translation>v, eine Zeile weiter</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>a circle about z</source>
      <translation>ein Kreis um z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>turns about z</source>
      <translation>Drehungen um z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>a helix, {pitch} mm along z in a turn</source>
      <translation>eine Helix, {pitch} mm je Umdrehung entlang z</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>free: every view has a place of its own</source>
      <translation>frei: Jede Ansicht hat ihren eigenen Ort</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>1 view</source>
      <translation>1 Ansicht</translation>
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
      <source>{n_views:,} views over {whole}°, {message}, {way} seen from +z</source>
      <translation>{n_views:,} Ansichten über {whole}°, {message}, {way} von +z gesehen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>parallel rays; how far the detector is does not matter</source>
      <translation>parallele Strahlen; wie weit der Detektor weg ist, spielt keine Rolle</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{spread} from the middle</source>
      <translation>{spread} von der Mitte</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>the middle</source>
      <translation>die Mitte</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>; a run looks for it in the scan</source>
      <translation>; ein Lauf sucht sie im Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Detector</source>
      <translation>Detektor</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{n_columns:,} columns × {n_rows:,} {rows}, {sides}</source>
      <translation>{n_columns:,} Spalten × {n_rows:,} {rows}, {sides}</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>Axis at column</source>
      <translation>Achse in Spalte</translation>
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
      <source>none, square to the central ray</source>
      <translation>keine, senkrecht zum Zentralstrahl</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/geometry_text.py" />
      <source>{spread}° out of its plane, {spread_2}° in it</source>
      <translation>{spread}° aus seiner Ebene, {spread_2}° in ihr</translation>
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
      <source>another way in each view</source>
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
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Write the three slices to files, with where they lie and what made them</source>
      <translation>Die drei Schichten in Dateien schreiben, mit Ort und Herkunft</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Put the slices back: across z, y and x, through the middle (R)</source>
      <translation>Die Schichten zurücksetzen: quer zu z, y und x durch die Mitte (R)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>The slices are being prepared …</source>
      <translation>Die Schichten werden vorbereitet …</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>Rough while they move.</source>
      <translation>Grob, solange sie sich bewegen.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/planes_page.py" />
      <source>As fine as the volume.</source>
      <translation>So fein wie das Volumen.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Preview: central slice</source>
      <translation>Vorschau: mittlere Schicht</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Right button: window. Ctrl and wheel: zoom. Middle button: move. A: best window.</source>
      <translation>Rechte Taste: Fenster. Strg und Rad: Zoom. Mittlere Taste: verschieben. A: bestes Fenster.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Preview</source>
      <translation>Vorschau</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>The preview is being made …</source>
      <translation>Die Vorschau wird gerechnet …</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>No preview</source>
      <translation>Keine Vorschau</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>Preview of the settings before</source>
      <translation>Vorschau der vorigen Einstellungen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/preview_panel.py" />
      <source>{value}. No result of a run.</source>
      <translation>{value}. Kein Ergebnis eines Laufs.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>The reconstructed picture (V)</source>
      <translation>Das rekonstruierte Bild (V)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Projections</source>
      <translation>Projektionen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>What the detector saw: one view, and the sinogram of one row (P)</source>
      <translation>Was der Detektor sah: eine Ansicht und das Sinogramm einer Zeile (P)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Where source, detector and volume are (G)</source>
      <translation>Wo Quelle, Detektor und Volumen sind (G)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Planes</source>
      <translation>Ebenen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/scan_pages.py" />
      <source>Slices of any orientation, moved and turned in space (S)</source>
      <translation>Schichten jeder Richtung, im Raum bewegt und gedreht (S)</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Arrow keys: other candidates. In the large picture PgUp, PgDn or the wheel: other candidates; right button: window; Ctrl and wheel: zoom; middle button: move.</source>
      <translation>Pfeiltasten: andere Kandidaten. Im großen Bild Bild auf, Bild ab oder Rad: andere Kandidaten; rechte Taste: Fenster; Strg und Rad: Zoom; mittlere Taste: verschieben.</translation>
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
      <source>Stopped.</source>
      <translation>Beendet.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Use this</source>
      <translation>Dies verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_dialog.py" />
      <source>Use {words}</source>
      <translation>{words} verwenden</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Try these</source>
      <translation>Diese probieren</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Make slices with these values</source>
      <translation>Schichten mit diesen Werten rechnen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Finer around this</source>
      <translation>Feiner um diesen</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Smaller steps around the choice</source>
      <translation>Kleinere Schritte um die Wahl</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_range.py" />
      <source>Middle ({unit})</source>
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
      <source>entropy {score:.3f} bit</source>
      <translation>Entropie {score:.3f} bit</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>A run would take {value}: {method}.</source>
      <translation>Ein Lauf nähme {value}: {method}.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source>★ {value} is best: {method}.</source>
      <translation>★ {value} ist am besten: {method}.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source> The scores hardly differ: trust your eyes more than the mark.</source>
      <translation> Die Werte unterscheiden sich kaum: Trauen Sie Ihren Augen mehr als der Marke.</translation>
    </message>
    <message>
      <location filename="app/workspace/ct_inspection/sweep_text.py" />
      <source> No value beyond it was tried: look around it.</source>
      <translation> Jenseits davon wurde kein Wert probiert: Sehen Sie sich dort um.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>No study waits. Run &gt; Add to queue puts the study that is open, with its settings as they are, at the end; so does isocenter queue add on the command line.</source>
      <translation>Keine Studie wartet. Lauf &gt; In die Warteschlange stellt die geöffnete Studie mit ihren jetzigen Einstellungen ans Ende; ebenso isocenter queue add auf der Kommandozeile.</translation>
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
      <source>As many as the memory holds</source>
      <translation>So viele, wie der Speicher fasst</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Studies begin in this order, also when this window or Isocenter is closed.</source>
      <translation>Studien beginnen in dieser Reihenfolge, auch wenn dieses Fenster oder Isocenter geschlossen ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>The queue is paused: no study begins.</source>
      <translation>Die Warteschlange ist angehalten: Keine Studie beginnt.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Choose a study in the list.</source>
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
      <source>Studies at a time</source>
      <translation>Studien auf einmal</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Beside others a study begins only if its estimated memory is free</source>
      <translation>Neben anderen beginnt eine Studie nur, wenn ihr geschätzter Speicher frei ist</translation>
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
      <source>Their images are results</source>
      <translation>Ihre Bilder sind Ergebnisse</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Earlier (Alt+Up)</source>
      <translation>Früher (Alt+Auf)</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Later (Alt+Down)</source>
      <translation>Später (Alt+Ab)</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Studies in the queue</source>
      <translation>Studien in der Warteschlange</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>{number} at a time</source>
      <translation>{number} auf einmal</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>The queue cannot be read: {fault}</source>
      <translation>Die Warteschlange kann nicht gelesen werden: {fault}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Pause the queue</source>
      <translation>Warteschlange anhalten</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Begin no more; those at work keep a checkpoint</source>
      <translation>Nicht mehr beginnen; laufende behalten einen Sicherungspunkt</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Begin, in this order</source>
      <translation>Beginnen, in dieser Reihenfolge</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>No study waits.</source>
      <translation>Keine Studie wartet.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>It has ended.</source>
      <translation>Sie ist zu Ende.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Let it wait for its turn again</source>
      <translation>Wieder warten lassen, bis sie an der Reihe ist</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Hold it back, with a checkpoint</source>
      <translation>Zurückhalten, mit einem Sicherungspunkt</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>It has not failed.</source>
      <translation>Sie ist nicht fehlgeschlagen.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>Take it out; its results stay (Delete)</source>
      <translation>Herausnehmen; ihre Ergebnisse bleiben (Entf)</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>None has finished.</source>
      <translation>Keine ist fertig.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>It is the first.</source>
      <translation>Sie ist die erste.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_dialog.py" />
      <source>It is the last.</source>
      <translation>Sie ist die letzte.</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Ends, then is paused</source>
      <translation>Endet, dann angehalten</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Ends, then waits</source>
      <translation>Endet, dann wartet sie</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Ends, then goes</source>
      <translation>Endet, dann geht sie</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>its image is in the tab Results</source>
      <translation>ihr Bild ist im Reiter Ergebnisse</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Finished{ended}; {IN_RESULTS}</source>
      <translation>Fertig{ended}; {IN_RESULTS}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Failed{ended}: {text}</source>
      <translation>Fehlgeschlagen{ended}: {text}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Paused: {text}</source>
      <translation>Angehalten: {text}</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Paused; it goes on from its checkpoint</source>
      <translation>Angehalten; sie geht von ihrem Sicherungspunkt weiter</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Waiting to go on; its engine ended</source>
      <translation>Wartet auf Fortsetzung; ihre Rechenmaschine endete</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>Waiting to go on from its checkpoint</source>
      <translation>Wartet auf Fortsetzung von ihrem Sicherungspunkt</translation>
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
      <source>Written to {output}, too</source>
      <translation>Auch nach {output} geschrieben</translation>
    </message>
    <message>
      <location filename="app/workspace/queue/queue_text.py" />
      <source>, took {duration}</source>
      <translation>, dauerte {duration}</translation>
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
      <location filename="app/workspace/steps/algorithm_step.py" />
      <source>, in {frame_words}</source>
      <translation>, in {frame_words}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>The image is of the scan alone, not corrected for attenuation. The lines are the borders of {name}: of the body, the lungs and the bones. They should lie on those of the image.</source>
      <translation>Das Bild ist aus dem Scan allein, ohne Schwächungskorrektur. Die Linien sind die Ränder von {name}: des Körpers, der Lungen und der Knochen. Sie sollten auf denen des Bildes liegen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Drag the lines to shift the map; wheel or PgUp, PgDn: other slices; right button: window; Ctrl and wheel: zoom; middle button: move the picture.</source>
      <translation>Ziehen Sie die Linien, um die Karte zu verschieben; Rad oder Bild auf, Bild ab: andere Schichten; rechte Taste: Fenster; Strg und Rad: Zoom; mittlere Taste: das Bild verschieben.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>HDF5 (*.h5);;NIfTI (*.nii.gz *.nii)</source>
      <translation>HDF5 (*.h5);;NIfTI (*.nii.gz *.nii)</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Align the {title}</source>
      <translation>{title} ausrichten</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>As found</source>
      <translation>Wie gefunden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Where likeness says</source>
      <translation>Wohin die Ähnlichkeit sie legt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>As in the file</source>
      <translation>Wie in der Datei</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Where the map was</source>
      <translation>Wo die Karte war</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Save and use …</source>
      <translation>Speichern und verwenden …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>The map was not moved.</source>
      <translation>Die Karte wurde nicht verschoben.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Save the map where it belongs</source>
      <translation>Die Karte speichern, wo sie hingehört</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/align_dialog.py" />
      <source>Look again</source>
      <translation>Noch einmal suchen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Candidates …</source>
      <translation>Kandidaten …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Look at slices with several values, and take one</source>
      <translation>Schichten mit mehreren Werten ansehen und einen nehmen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Candidates of {kind}</source>
      <translation>Kandidaten: {kind}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Align …</source>
      <translation>Ausrichten …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Whether the {title} lies where the scan saw the body</source>
      <translation>Ob {title} liegt, wo der Scan den Körper sah</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Show</source>
      <translation>Zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Lay the {title} over the image; before there is one, show what it covers</source>
      <translation>{title} über das Bild legen; bevor es eines gibt, zeigen, was überdeckt wird</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>Show the {title}</source>
      <translation>{title} zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>none in use yet</source>
      <translation>noch keine in Gebrauch</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/corrections_step.py" />
      <source>From {value}</source>
      <translation>Aus {value}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>{} describes a file with the same datasets. Did the scanner stand the same?</source>
      <translation>{} beschreibt eine Datei mit denselben Datensätzen. Stand der Scanner ebenso?</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>Take what it says</source>
      <translation>Nehmen, was sie sagt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/dataset_picker.py" />
      <source>Datasets of the file</source>
      <translation>Datensätze der Datei</translation>
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
      <location filename="app/workspace/steps/finishing_step.py" />
      <source>The unfiltered iterations stay in the scrubber.</source>
      <translation>Die ungefilterten Iterationen bleiben im Schieber.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>{name} does not say all that a reconstruction needs. What could be told from its files stands on the left in grey; type over what is wrong, and say what is missing.</source>
      <translation>{name} sagt nicht alles, was eine Rekonstruktion braucht. Was seine Dateien verraten, steht links in Grau; überschreiben Sie, was falsch ist, und geben Sie an, was fehlt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>turns left</source>
      <translation>dreht links</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source counter-clockwise, columns to the right</source>
      <translation>Quelle gegen den Uhrzeigersinn, Spalten nach rechts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>turns right</source>
      <translation>dreht rechts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source clockwise, columns to the right</source>
      <translation>Quelle im Uhrzeigersinn, Spalten nach rechts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>turns left, mirrored</source>
      <translation>dreht links, gespiegelt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source counter-clockwise, columns to the left</source>
      <translation>Quelle gegen den Uhrzeigersinn, Spalten nach links</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>turns right, mirrored</source>
      <translation>dreht rechts, gespiegelt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Source clockwise, columns to the left</source>
      <translation>Quelle im Uhrzeigersinn, Spalten nach links</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Which one is sharp, and not the mirror image of the object? Single images do not tell which way the source turns.</source>
      <translation>Welche ist scharf und kein Spiegelbild des Objekts? Einzelne Bilder verraten nicht, wie herum sich die Quelle dreht.</translation>
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
      <source>Name of the text</source>
      <translation>Name des Texts</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Write and open</source>
      <translation>Schreiben und öffnen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_dialog.py" />
      <source>Written as</source>
      <translation>Geschrieben als</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_fields.py" />
      <source>Wanted</source>
      <translation>Gesucht</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/import_fields.py" />
      <source>as found</source>
      <translation>wie gefunden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Settings of {title}</source>
      <translation>Einstellungen von {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Show or hide the settings of this step</source>
      <translation>Die Einstellungen dieses Schritts zeigen oder verbergen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Use of {title}</source>
      <translation>Verwendung von {title}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Switched off in the protocol</source>
      <translation>Im Protokoll ausgeschaltet</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>{sentence} It is switched on.</source>
      <translation>{sentence} Sie ist eingeschaltet.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Will be applied; the last run did not: {text}</source>
      <translation>Wird angewendet; beim letzten Lauf nicht: {text}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Will be applied</source>
      <translation>Wird angewendet</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/ledger.py" />
      <source>Decided when the scan is open</source>
      <translation>Entscheidet sich, wenn der Scan geöffnet ist</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/motion_row.py" />
      <source>Shift</source>
      <translation>Verschiebung</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>Quality</source>
      <translation>Güte</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>Of the study at hand, not saved</source>
      <translation>Der aktuellen Studie, nicht gespeichert</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>From</source>
      <translation>Von</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>Note</source>
      <translation>Hinweis</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocol_facts.py" />
      <source>{now}, was {then}</source>
      <translation>{now}, war {then}</translation>
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
      <source>Protocols</source>
      <translation>Protokolle</translation>
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
      <source>Take in …</source>
      <translation>Aufnehmen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Left out: {each}</source>
      <translation>Weggelassen: {each}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>{WHOSE}, locked</source>
      <translation>{WHOSE}, gesperrt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Choose a protocol in the list.</source>
      <translation>Wählen Sie ein Protokoll in der Liste.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>The settings of the study are as saved.</source>
      <translation>Die Einstellungen der Studie sind wie gespeichert.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Only the protocol in use can take the changes of the study.</source>
      <translation>Nur das verwendete Protokoll kann die Änderungen der Studie aufnehmen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Take it for the study at hand</source>
      <translation>Für die aktuelle Studie nehmen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Save as its next version</source>
      <translation>Als nächste Version speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Save the settings of the study under a new name</source>
      <translation>Die Einstellungen der Studie unter einem neuen Namen speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Give it another name, which is its next version</source>
      <translation>Einen anderen Namen geben, als nächste Version</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>{lock} it: locked, nothing changes, renames or deletes it</source>
      <translation>{lock}: gesperrt wird nichts geändert, umbenannt oder gelöscht</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Remove it; its last version is kept beside</source>
      <translation>Entfernen; die letzte Version bleibt daneben</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Write it as one file for others</source>
      <translation>Als eine Datei für andere schreiben</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>Add a protocol that somebody shared</source>
      <translation>Ein Protokoll hinzufügen, das jemand geteilt hat</translation>
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
      <source>Delete {name!r}, version {revision}? Its file stays in the </source>
      <translation>{name!r}, Version {revision}, löschen? Die Datei bleibt im </translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>folder of earlier versions.</source>
      <translation>Ordner früherer Versionen.</translation>
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
      <source>Take in a protocol</source>
      <translation>Protokoll aufnehmen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>{name} is among your protocols now.</source>
      <translation>{name} ist jetzt unter Ihren Protokollen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/protocols_dialog.py" />
      <source>The protocols stay as they are.</source>
      <translation>Die Protokolle bleiben, wie sie sind.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/saving_protocols.py" />
      <source>Not saved</source>
      <translation>Nicht gespeichert</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/saving_protocols.py" />
      <source>Save as the next version</source>
      <translation>Als nächste Version speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/saving_protocols.py" />
      <source>There is {name!r}, version {revision}. Save these settings as its version {next_one}? The version before is kept.</source>
      <translation>Es gibt {name!r}, Version {revision}. Diese Einstellungen als Version {next_one} speichern? Die vorige Version bleibt erhalten.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_drawing.py" />
      <source>no scanner</source>
      <translation>kein Scanner</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_drawing.py" />
      <source>Ø {radius_mm:.0f} mm</source>
      <translation>Ø {radius_mm:.0f} mm</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/scanner_drawing.py" />
      <source>{length:.0f} mm long</source>
      <translation>{length:.0f} mm lang</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>Back to {then}, as {name} says</source>
      <translation>Zurück auf {then}, wie {name} sagt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>{label} back to {then}</source>
      <translation>{label} zurück auf {then}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>{label} {now}, was {then}</source>
      <translation>{label} {now}, war {then}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>All back</source>
      <translation>Alle zurück</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>All of this step as saved</source>
      <translation>Alles in diesem Schritt wie gespeichert</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>and {more} more</source>
      <translation>und {more} mehr</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_changes.py" />
      <source>The setting stays.</source>
      <translation>Die Einstellung bleibt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>ok</source>
      <translation>ok</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>look here</source>
      <translation>hier ansehen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>noted</source>
      <translation>gesehen</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>missing</source>
      <translation>fehlt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/step_panel.py" />
      <source>fault</source>
      <translation>Fehler</translation>
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
      <source>Open a scan, or drop it on the window: list mode, a histogram or X-ray projections.</source>
      <translation>Öffnen Sie einen Scan, oder ziehen Sie ihn auf das Fenster: List-Mode, ein Histogramm oder Röntgenprojektionen.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>reading …</source>
      <translation>wird gelesen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>no scan yet</source>
      <translation>noch kein Scan</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>The file is used for each scan of this scanner that is opened from now on, and for no other; take the tick away to end that</source>
      <translation>Die Datei gilt von jetzt an für jeden geöffneten Scan dieses Scanners und für keinen anderen; nehmen Sie das Häkchen weg, um das zu beenden</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Clear {title}</source>
      <translation>{title} leeren</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Replace …</source>
      <translation>Ersetzen …</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>As the scan says</source>
      <translation>Wie der Scan sagt</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/study_step.py" />
      <source>Keep for every such scan</source>
      <translation>Für alle solchen Scans behalten</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Tracer files (*.toml)</source>
      <translation>Tracerdateien (*.toml)</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Nuclide, dose, times and body of {scan}. What is left empty is as the scan says. The file belongs to this scan alone: it goes when another one is opened.</source>
      <translation>Nuklid, Dosis, Zeiten und Körper von {scan}. Was leer bleibt, ist wie der Scan sagt. Die Datei gehört nur zu diesem Scan: Sie geht, wenn ein anderer geöffnet wird.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Bq/mL: add a calibration in step 1 besides.</source>
      <translation>Bq/mL: Fügen Sie dazu in Schritt 1 eine Kalibrierung hinzu.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Bq/mL: all is known.</source>
      <translation>Bq/mL: Alles ist bekannt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Tracer and dose</source>
      <translation>Tracer und Dosis</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Nothing of dose is known yet.</source>
      <translation>Von der Dosis ist noch nichts bekannt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Save tracer and dose</source>
      <translation>Tracer und Dosis speichern</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>Bq/mL: {concentration}.</source>
      <translation>Bq/mL: {concentration}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>SUV: {value}.</source>
      <translation>SUV: {value}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>No SUV yet: {plain}.</source>
      <translation>Noch kein SUV: {plain}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source>For SUV {value}{value_2}: {more}.</source>
      <translation>Für SUV {value}{value_2}: {more}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/tracer_dialog.py" />
      <source> besides</source>
      <translation> zusätzlich</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>no grid</source>
      <translation>kein Gitter</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>The voxels follow from the {source} once it is known.</source>
      <translation>Die Voxel folgen aus {source}, sobald bekannt.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>as the {source}</source>
      <translation>wie {source}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>May be too large</source>
      <translation>Vielleicht zu groß</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>Too large</source>
      <translation>Zu groß</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>
{message} for this computer: {describe}.</source>
      <translation>
{message} für diesen Rechner: {describe}.</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>{diameter:.5g}, as the {source}</source>
      <translation>{diameter:.5g}, wie {source}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>{depth:.5g}, as the {source}</source>
      <translation>{depth:.5g}, wie {source}</translation>
    </message>
    <message>
      <location filename="app/workspace/steps/volume_step.py" />
      <source>{length:.5g}, as the {source}</source>
      <translation>{length:.5g}, wie {source}</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>When</source>
      <translation>Wann</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Patient</source>
      <translation>Patient</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Born</source>
      <translation>Geboren</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/order_table.py" />
      <source>Kind</source>
      <translation>Art</translation>
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
      <source>It has no image yet.</source>
      <translation>Sie hat noch kein Bild.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Looking for studies …</source>
      <translation>Studien werden gesucht …</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Patient, number, scan, protocol, day</source>
      <translation>Patient, Nummer, Scan, Protokoll, Tag</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Look for</source>
      <translation>Suchen nach</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Studies with all of these words are shown</source>
      <translation>Gezeigt werden Studien mit allen diesen Wörtern</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Which studies are shown</source>
      <translation>Welche Studien gezeigt werden</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>The studies could not be listed.</source>
      <translation>Die Studien konnten nicht aufgelistet werden.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>{shown:,} of {total:,} shown, {room}</source>
      <translation>{shown:,} von {total:,} gezeigt, {room}</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>No studies yet. Every finished image is listed here, with whose it is.</source>
      <translation>Noch keine Studien. Jedes fertige Bild steht hier, und von wem es ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Show the queue</source>
      <translation>Warteschlange zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Return does the same</source>
      <translation>Die Eingabetaste tut dasselbe</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Take its protocol for the open scan</source>
      <translation>Ihr Protokoll für den offenen Scan nehmen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Show the files of the image</source>
      <translation>Die Dateien des Bildes zeigen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Remove its image from the disk</source>
      <translation>Ihr Bild vom Datenträger entfernen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>Delete {scan}, {protocol}, {when:%d %b %Y %H:%M}, from the disk?</source>
      <translation>{scan}, {protocol}, {when:%d %b %Y %H:%M}, vom Datenträger löschen?</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>It was signed off: {standing}.</source>
      <translation>Es wurde freigegeben: {standing}.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/studies_page.py" />
      <source>It was not exported.</source>
      <translation>Es wurde nicht exportiert.</translation>
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
      <source>Interrupted</source>
      <translation>Unterbrochen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/study_text.py" />
      <source>Failed</source>
      <translation>Fehlgeschlagen</translation>
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
      <source>To look after</source>
      <translation>Nachzusehen</translation>
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
      <source>All kinds</source>
      <translation>Alle Arten</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>The settings name no worklist. Add its node there, HOST:PORT.</source>
      <translation>In den Einstellungen steht keine Arbeitsliste. Tragen Sie dort ihren Knoten ein, HOST:PORT.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Ask the worklist, then choose whose the scan is.</source>
      <translation>Fragen Sie die Arbeitsliste ab, und wählen Sie dann, von wem der Scan ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Choose an order in the list.</source>
      <translation>Wählen Sie einen Auftrag in der Liste.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Name, * for any letters</source>
      <translation>Name, * für beliebige Buchstaben</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Days</source>
      <translation>Tage</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>On which days it is to be done</source>
      <translation>An welchen Tagen es geschehen soll</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>What kind of scanner it is ordered for</source>
      <translation>Für welche Art von Scanner es angeordnet ist</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>All patients if left out</source>
      <translation>Alle Patienten, wenn leer</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Ask</source>
      <translation>Abfragen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Take for the scan</source>
      <translation>Für den Scan nehmen</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Say no longer whose the scan at hand is</source>
      <translation>Nicht mehr sagen, von wem der offene Scan ist</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Asking {node} …</source>
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
      <source>Ask the worklist (Return)</source>
      <translation>Die Arbeitsliste abfragen (Eingabetaste)</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>The scan at hand is of {whose}.</source>
      <translation>Der offene Scan ist von {whose}.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>Nobody has said whose the scan at hand is.</source>
      <translation>Niemand hat gesagt, von wem der offene Scan ist.</translation>
    </message>
    <message>
      <location filename="app/workspace/study_list/worklist_page.py" />
      <source>What is written as DICOM is of this patient, until another scan is opened</source>
      <translation>Was als DICOM geschrieben wird, ist von diesem Patienten, bis ein anderer Scan geöffnet wird</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>CGLS</source>
      <translation>CGLS</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Stop at the noise</source>
      <translation>Beim Rauschen enden</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>End once the image explains the data to within their noise: later iterations would draw the noise itself. Data without noise get all iterations</source>
      <translation>Enden, sobald das Bild die Daten bis auf ihr Rauschen erklärt: Spätere Iterationen würden das Rauschen selbst zeichnen. Daten ohne Rauschen erhalten alle Iterationen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Damping</source>
      <translation>Dämpfung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/cgls.py" />
      <source>Weight of small values against true projections, √τ / ‖A‖; 0: none</source>
      <translation>Gewicht kleiner Werte gegen wahre Projektionen, √τ / ‖A‖; 0: keines</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fdk.py" />
      <source>Filtered back projection (FDK)</source>
      <translation>Gefilterte Rückprojektion (FDK)</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Passes over all the data</source>
      <translation>Durchgänge durch alle Daten</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Iterations</source>
      <translation>Iterationen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>No values below zero</source>
      <translation>Keine Werte unter null</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>Non-negative</source>
      <translation>Nicht negativ</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fields.py" />
      <source>No values above this</source>
      <translation>Keine Werte darüber</translation>
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
      <source>Strength of the total variation, relative to that found from the noise</source>
      <translation>Stärke der totalen Variation, relativ zu der aus dem Rauschen gefundenen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>Inner steps</source>
      <translation>Innere Schritte</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/fista_tv.py" />
      <source>Steps of the total variation in each pass</source>
      <translation>Schritte der totalen Variation in jedem Durchgang</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Passes over all the data; if left out, as many as the updates need</source>
      <translation>Durchgänge durch alle Daten; wenn leer, so viele, wie die Aktualisierungen brauchen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Subsets</source>
      <translation>Teilmengen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Updates in each pass; if left out, as many as the counts allow; 1 is MLEM</source>
      <translation>Aktualisierungen je Durchgang; wenn leer, so viele, wie die Zahl der Ereignisse erlaubt; 1 ist MLEM</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Updates</source>
      <translation>Aktualisierungen</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>Updates in all, passes times subsets, where one of these is left out; rounded up so that subsets divide it; if left out, as many as the scan needs, or 24</source>
      <translation>Aktualisierungen insgesamt, Durchgänge mal Teilmengen, wenn eines davon leer ist; aufgerundet, damit Teilmengen sie teilen; wenn leer, so viele, wie der Scan braucht, oder 24</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/osem.py" />
      <source>One: all data in each update</source>
      <translation>Eine: alle Daten in jeder Aktualisierung</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>SIRT</source>
      <translation>SIRT</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>Updates in each pass; 1 is plain SIRT</source>
      <translation>Aktualisierungen je Durchgang; 1 ist einfaches SIRT</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>Relaxation</source>
      <translation>Relaxation</translation>
    </message>
    <message>
      <location filename="engine/recon/algorithms/sirt.py" />
      <source>Length of a step; less than 1 is slower and smoother</source>
      <translation>Länge eines Schritts; unter 1 langsamer und glatter</translation>
    </message>
    <message>
      <location filename="engine/corrections/attenuation.py" />
      <source>Attenuation map [1/mm]</source>
      <translation>Schwächungskarte [1/mm]</translation>
    </message>
    <message>
      <location filename="engine/corrections/attenuation.py" />
      <source>Attenuation map; without it, no attenuation correction.</source>
      <translation>Schwächungskarte; ohne sie wird die Schwächung nicht korrigiert.</translation>
    </message>
    <message>
      <location filename="engine/corrections/base.py" />
      <source>Apply</source>
      <translation>Anwenden</translation>
    </message>
    <message>
      <location filename="engine/corrections/base.py" />
      <source>Apply: when possible, always, never</source>
      <translation>Anwenden: wenn möglich, immer, nie</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Calibration to Bq/mL, from `isocenter calibrate`</source>
      <translation>Kalibrierung in Bq/mL, von `isocenter calibrate`</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>A cylinder of known activity, measured once; without it, values are counts/mm.</source>
      <translation>Ein Zylinder bekannter Aktivität, einmal gemessen; ohne sie sind die Werte Ereignisse/mm.</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Nuclide, dose, times and weight of this scan, a TOML file</source>
      <translation>Nuklid, Dosis, Zeiten und Gewicht dieses Scans, eine TOML-Datei</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Nuclide, dose, times and weight; without it, they are as the scan says.</source>
      <translation>Nuklid, Dosis, Zeiten und Gewicht; ohne sie gilt, was der Scan sagt.</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Decay corrected to</source>
      <translation>Zerfallskorrigiert auf</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Moment that the activity is that of</source>
      <translation>Zeitpunkt, für den die Aktivität gilt</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Measure …</source>
      <translation>Messen …</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Measure it in the image of a cylinder of known activity</source>
      <translation>Im Bild eines Zylinders bekannter Aktivität messen</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Fill in …</source>
      <translation>Ausfüllen …</translation>
    </message>
    <message>
      <location filename="engine/corrections/calibration.py" />
      <source>Write nuclide, dose, times and weight of this scan</source>
      <translation>Nuklid, Dosis, Zeiten und Gewicht dieses Scans angeben</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Method</source>
      <translation>Verfahren</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Expected in the model, or subtracted from the prompts and negative counts cut off</source>
      <translation>Im Modell erwartet, oder von den Prompts abgezogen und negative abgeschnitten</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Rounds</source>
      <translation>Runden</translation>
    </message>
    <message>
      <location filename="engine/corrections/histogram.py" />
      <source>Images that scatter is simulated from, each better than the last</source>
      <translation>Bilder, aus denen Streuung simuliert wird, jedes besser als das vorige</translation>
    </message>
    <message>
      <location filename="engine/corrections/normalisation.py" />
      <source>Crystal efficiencies or a measured normalisation</source>
      <translation>Kristalleffizienzen oder eine gemessene Normalisierung</translation>
    </message>
    <message>
      <location filename="engine/corrections/normalisation.py" />
      <source>Crystal efficiencies or a measured normalisation; without, all crystals count alike.</source>
      <translation>Kristalleffizienzen oder eine gemessene Normalisierung; ohne sie zählen alle Kristalle gleich.</translation>
    </message>
    <message>
      <location filename="engine/corrections/normalisation.py" />
      <source>Measure it with a source of known shape</source>
      <translation>Mit einer Quelle bekannter Form messen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/bad_pixels.py" />
      <source>Outliers from</source>
      <translation>Ausreißer ab</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/bad_pixels.py" />
      <source>Least deviation of a single value from its neighbours that counts as an outlier, as a share of the transmission</source>
      <translation>Kleinste Abweichung eines einzelnen Werts von seinen Nachbarn, die als Ausreißer zählt, als Anteil der Transmission</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/binning.py" />
      <source>Pixels</source>
      <translation>Pixel</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/binning.py" />
      <source>Pixels along each edge that become one</source>
      <translation>Pixel entlang jeder Kante, die eines werden</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/binning.py" />
      <source>Neighbouring views that become one</source>
      <translation>Benachbarte Ansichten, die eine werden</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/crop.py" />
      <source>First row and the one after the last</source>
      <translation>Erste Zeile und die nach der letzten</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/crop.py" />
      <source>First column and the one after the last</source>
      <translation>Erste Spalte und die nach der letzten</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Flats of several moments: interpolate between them, or one mean</source>
      <translation>Hellbilder mehrerer Zeitpunkte: dazwischen interpolieren, oder ein Mittel</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Counts of the open beam, where a scan has no flats</source>
      <translation>Zählwerte des offenen Strahls, wo ein Scan keine Hellbilder hat</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Edge of the detector that sees no object; it shows drift of the source</source>
      <translation>Rand des Detektors, der kein Objekt sieht; er zeigt das Driften der Quelle</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Width of this edge</source>
      <translation>Breite dieses Rands</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/flat_field.py" />
      <source>Counts from which a value is saturated; if left out, full scale of 8 to 16 bits</source>
      <translation>Zählwert, ab dem ein Wert gesättigt ist; wenn leer, Vollausschlag von 8 bis 16 Bit</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hardening.py" />
      <source>Coefficients are</source>
      <translation>Koeffizienten sind</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hardening.py" />
      <source>Coefficients as given below, or fitted so that this scan's object, of one material, comes out flat</source>
      <translation>Koeffizienten wie unten, oder so angepasst, dass das Objekt dieses Scans, aus einem Material, gleichmäßig wird</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hardening.py" />
      <source>Coefficients of p, p², p³, ... of the corrected line integral; fit them on a uniform object or a step wedge</source>
      <translation>Koeffizienten von p, p², p³, ... des korrigierten Linienintegrals; an einem gleichförmigen Objekt oder einer Stufentreppe anzupassen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>CT numbers</source>
      <translation>CT-Zahlen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Water and air as given, or found in the histogram of the picture near what is given; soft tissue counts as water</source>
      <translation>Wasser und Luft wie angegeben, oder im Histogramm des Bildes nahe dem Angegebenen gefunden; Weichteile zählen als Wasser</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Water</source>
      <translation>Wasser</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Attenuation of water in this beam, best measured in a scan of water</source>
      <translation>Schwächung von Wasser in diesem Strahl, am besten in einem Scan von Wasser gemessen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Air</source>
      <translation>Luft</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/hounsfield.py" />
      <source>Attenuation of air</source>
      <translation>Schwächung von Luft</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/logarithm.py" />
      <source>Least transmission</source>
      <translation>Kleinste Transmission</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/logarithm.py" />
      <source>Smaller transmissions count as this one, so that their logarithm stays finite</source>
      <translation>Kleinere Transmissionen zählen als diese, damit ihr Logarithmus endlich bleibt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Mend columns with a stripe, and even out all others of a row where all have one (auto) or in every row (all); found marks stripes by their neighbours alone; sorted evens out values of the same rank, for stripes that change with brightness, at a cost of sharpness</source>
      <translation>Spalten mit einem Streifen ausbessern und alle anderen einer Zeile ausgleichen, wo alle einen haben (auto), oder in jeder Zeile (all); found zeichnet Streifen nur nach ihren Nachbarn an; sorted gleicht Werte gleichen Rangs aus, für Streifen, die sich mit der Helligkeit ändern, auf Kosten der Schärfe</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Stripe to noise</source>
      <translation>Streifen zu Rauschen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>How far a stripe stands out from the noise of its column's mean</source>
      <translation>Wie weit ein Streifen aus dem Rauschen des Mittels seiner Spalte ragt</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Width</source>
      <translation>Breite</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Widest stripe that is removed</source>
      <translation>Breitester Streifen, der entfernt wird</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Bands</source>
      <translation>Bänder</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rings.py" />
      <source>Widest band of columns with two sharp edges that is removed; 0: none is sought</source>
      <translation>Breitestes Band von Spalten mit zwei scharfen Kanten, das entfernt wird; 0: keines wird gesucht</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rotation_axis.py" />
      <source>Column on which the rotation axis falls, counted from 0; found from the scan if left out</source>
      <translation>Spalte, auf die die Drehachse fällt, ab 0 gezählt; wenn leer, aus dem Scan gefunden</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rotation_axis.py" />
      <source>How it is found in parallel beams: auto compares opposite rays of a whole turn, and takes the spectrum of the sinogram of half a turn; or first moment, or opposite views. In cone beams always by rays measured twice</source>
      <translation>Wie sie bei parallelen Strahlen gefunden wird: auto vergleicht bei einer ganzen Umdrehung gegenläufige Strahlen und nimmt bei einer halben das Spektrum des Sinogramms; oder erstes Moment oder gegenüberliegende Ansichten. Bei Kegelstrahlen immer durch doppelt gemessene Strahlen</translation>
    </message>
    <message>
      <location filename="engine/corrections/preprocess/rotation_axis.py" />
      <source>Turn of the detector in its plane</source>
      <translation>Drehung des Detektors in seiner Ebene</translation>
    </message>
    <message>
      <location filename="engine/corrections/randoms.py" />
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <location filename="engine/corrections/randoms.py" />
      <source>Singles as the scan counted them, or singles rates from delayeds: of each crystal of a ring, of each detector block or of all; auto takes the finest that the counts support</source>
      <translation>Singles, wie der Scan sie zählte, oder Einzelraten aus Verzögerten: für jeden Kristall eines Rings, für jeden Detektorblock oder für alle; „auto“ nimmt das feinste Modell, das die Zählungen tragen</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Measured resolution</source>
      <translation>Gemessene Auflösung</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Widths of point sources by distance from the axis</source>
      <translation>Breiten von Punktquellen nach Abstand von der Achse</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Without it, the resolution follows from the scanner's crystals, bore and depth.</source>
      <translation>Ohne sie folgt die Auflösung aus Kristallen, Öffnung und Tiefe des Scanners.</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Width (FWHM)</source>
      <translation>Breite (FWHM)</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Full width at half maximum everywhere; measured, or by the scanner, if left out</source>
      <translation>Halbwertsbreite überall; gemessen oder nach Scanner, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Filter in the model</source>
      <translation>Filter im Modell</translation>
    </message>
    <message>
      <location filename="engine/corrections/resolution.py" />
      <source>Models the final Gaussian filter as well: less noise, but a rim 16 to 22 % too hot lies 5 to 8 mm inside every edge</source>
      <translation>Modelliert auch den abschließenden Gauß-Filter: weniger Rauschen, aber 5 bis 8 mm innerhalb jeder Kante liegt ein um 16 bis 22 % zu heißer Rand</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>The scan's own estimate, or a simulation from its image and μ-map; auto takes the scan's where it brings one</source>
      <translation>Die Schätzung des Scans, oder eine Simulation aus seinem Bild und der μ-Karte; auto nimmt die des Scans, wo er eine mitbringt</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Points</source>
      <translation>Punkte</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Places in the object where photons scatter</source>
      <translation>Stellen im Objekt, an denen Photonen streuen</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <location filename="engine/corrections/scatter.py" />
      <source>Of the points</source>
      <translation>Der Punkte</translation>
    </message>
    <message>
      <location filename="engine/corrections/sinogram.py" />
      <source>Smooth delayeds</source>
      <translation>Verzögerte glätten</translation>
    </message>
    <message>
      <location filename="engine/corrections/sinogram.py" />
      <source>Of delayeds that were counted, expect what rates of crystals or blocks explain; else each bin expects its own few</source>
      <translation>Von gezählten Verzögerten das erwarten, was Raten von Kristallen oder Blöcken erklären; sonst erwartet jedes Bin seine wenigen</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Site</source>
      <translation>Einrichtung</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Name of the site, at the top of each report</source>
      <translation>Name der Einrichtung, oben auf jedem Bericht</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Address</source>
      <translation>Anschrift</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>A line below the name</source>
      <translation>Eine Zeile unter dem Namen</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Logo</source>
      <translation>Logo</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Picture beside the name, PNG or JPEG</source>
      <translation>Bild neben dem Namen, PNG oder JPEG</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>People</source>
      <translation>Personen</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Who signs reports off; empty: the name of the login</source>
      <translation>Wer Berichte freigibt; leer: der Anmeldename</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Protocols of the site</source>
      <translation>Protokolle der Einrichtung</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Folder of protocols that all share; nothing is written into it</source>
      <translation>Ordner der Protokolle, die alle teilen; nichts wird hineingeschrieben</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Reports</source>
      <translation>Berichte</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Folder in which reports are saved; empty: among the exports</source>
      <translation>Ordner, in dem Berichte gespeichert werden; leer: bei den Exporten</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>DICOM node</source>
      <translation>DICOM-Knoten</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>DICOM node that reports are sent to, HOST:PORT</source>
      <translation>DICOM-Knoten, an den Berichte gesendet werden, HOST:PORT</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Title of the node</source>
      <translation>Titel des Knotens</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Title of that node</source>
      <translation>Titel dieses Knotens</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>DICOM node that knows what is to be done, HOST:PORT</source>
      <translation>DICOM-Knoten, der weiß, was zu tun ist, HOST:PORT</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Title of the worklist</source>
      <translation>Titel der Arbeitsliste</translation>
    </message>
    <message>
      <location filename="engine/results/reports/site.py" />
      <source>Title of the worklist's node</source>
      <translation>Titel des Knotens der Arbeitsliste</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Filter window</source>
      <translation>Filterfenster</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Softer windows lower noise and resolution</source>
      <translation>Weichere Fenster senken Rauschen und Auflösung</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Cut-off</source>
      <translation>Grenzfrequenz</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Highest frequency kept, of Nyquist's</source>
      <translation>Höchste behaltene Frequenz, von der nach Nyquist</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Soften across rows</source>
      <translation>Quer zu den Zeilen glätten</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>The same as a Hann window across the rows</source>
      <translation>Dasselbe wie ein Hann-Fenster quer zu den Zeilen</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Zero padding</source>
      <translation>Auffüllen mit Nullen</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Length of the filtered rows, in rows</source>
      <translation>Länge der gefilterten Zeilen, in Zeilen</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Weights of a scan over less than a circle</source>
      <translation>Gewichte eines Scans über weniger als einen Kreis</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Weights of a detector beside the axis</source>
      <translation>Gewichte eines Detektors neben der Achse</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Truncated rows</source>
      <translation>Abgeschnittene Zeilen</translation>
    </message>
    <message>
      <location filename="engine/recon/filtering/settings.py" />
      <source>Continue rows that the detector cuts off</source>
      <translation>Zeilen fortsetzen, die der Detektor abschneidet</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>The newest turn, which follows what moves; or all views from the first to a whole scan, which is kept</source>
      <translation>Die neueste Umdrehung, die Bewegtem folgt; oder alle Ansichten von der ersten bis zu einem ganzen Scan, der behalten wird</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Newest turn</source>
      <translation>Neueste Umdrehung</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Of the sliding views: the newest half or full turn</source>
      <translation>Der gleitenden Ansichten: die neueste halbe oder volle Umdrehung</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Rays measured twice</source>
      <translation>Doppelt gemessene Strahlen</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Rays that an open scan measures twice: count all alike (even, quick), share their weight (shared), or share it as soon as no view comes (auto)</source>
      <translation>Strahlen, die ein offener Scan zweimal misst: alle gleich zählen (even, schnell), ihr Gewicht teilen (shared), oder es teilen, sobald keine Ansicht mehr kommt (auto)</translation>
    </message>
    <message>
      <location filename="engine/live/ct/settings.py" />
      <source>Edge of the coarse volume; 0: none</source>
      <translation>Kante des groben Volumens; 0: keines</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>The newest seconds, which follow what changes; or all events from the first, which are kept</source>
      <translation>Die neuesten Sekunden, die Änderungen folgen; oder alle Ereignisse vom ersten an, die behalten werden</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Newest</source>
      <translation>Neueste</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Of the sliding image</source>
      <translation>Des gleitenden Bildes</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Watch for motion</source>
      <translation>Auf Bewegung achten</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Say when the object has moved</source>
      <translation>Melden, wenn sich das Objekt bewegt hat</translation>
    </message>
    <message>
      <location filename="engine/live/pet/settings.py" />
      <source>Of the free memory, for the events that are kept</source>
      <translation>Des freien Speichers, für die behaltenen Ereignisse</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/demo.py" />
      <source>Dual-head PET</source>
      <translation>Zweikopf-PET</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/layers.py" />
      <source>Layers of crystals</source>
      <translation>Kristallschichten</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/layers.py" />
      <source>Layers of crystals: lines and a response of their own for each pair of layers, or all events together, as of one thick layer</source>
      <translation>Kristallschichten: eigene Linien und eine eigene Antwort für jedes Paar von Schichten, oder alle Ereignisse zusammen wie von einer dicken Schicht</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/modality.py" />
      <source>dual-head PET</source>
      <translation>Zweikopf-PET</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/prior.py" />
      <source>Strength</source>
      <translation>Stärke</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/prior.py" />
      <source>How strongly differences between neighbours that the counts do not tell from noise are taken back; 0.002 is mild, 0 takes nothing back</source>
      <translation>Wie stark Unterschiede zwischen Nachbarn zurückgenommen werden, die die Zählungen nicht von Rauschen unterscheiden; 0.002 ist mild, 0 nimmt nichts zurück</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/protocol.py" />
      <source>Edge lengths x, y, z; x and z are the pitch divided by a whole number</source>
      <translation>Kantenlängen x, y, z; x und z sind der Kristallabstand durch eine ganze Zahl</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/protocol.py" />
      <source>Depth</source>
      <translation>Tiefe</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/protocol.py" />
      <source>Of the picture between the panels</source>
      <translation>Des Bildes zwischen den Panels</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Pairs of points, a power of two, and photons tracked in each direction</source>
      <translation>Punktpaare, eine Zweierpotenz, und in jeder Richtung verfolgte Photonen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Crystal scatter</source>
      <translation>Kristallstreuung</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Scatter between crystals, energy resolution and window; else first interactions count</source>
      <translation>Streuung zwischen Kristallen, Energieauflösung und Fenster; sonst zählen erste Wechselwirkungen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Threshold</source>
      <translation>Schwelle</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/settings.py" />
      <source>Smallest part of a row's maximum kept</source>
      <translation>Kleinster behaltener Teil des Höchstwerts einer Zeile</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Pairs from every voxel that is no image</source>
      <translation>Paare aus jedem Voxel, das kein Spiegelbild ist</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Photons may scatter in the crystals</source>
      <translation>Photonen dürfen in den Kristallen streuen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Pitches beyond an orientation's box that are kept</source>
      <translation>Kristallabstände über den Kasten einer Richtung hinaus, die behalten werden</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response/tracking.py" />
      <source>Of the random numbers</source>
      <translation>Der Zufallszahlen</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response_role.py" />
      <source>Response matrix of a dual-head scanner</source>
      <translation>Antwortmatrix eines Zweikopfscanners</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/response_role.py" />
      <source>A stored matrix made elsewhere; without it, one is computed once and kept.</source>
      <translation>Eine anderswo gerechnete, gespeicherte Matrix; ohne sie wird eine gerechnet und behalten.</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Activity lies in</source>
      <translation>Aktivität liegt in</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Where the μ-map has matter (everywhere without a μ-map), in a box, in an ellipsoid, or everywhere</source>
      <translation>Wo die μ-Karte Materie hat (überall ohne μ-Karte), in einem Quader, in einem Ellipsoid, oder überall</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Of the box or the ellipsoid, x, y, z</source>
      <translation>Des Quaders oder Ellipsoids, x, y, z</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Centre</source>
      <translation>Mitte</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>Margin</source>
      <translation>Rand</translation>
    </message>
    <message>
      <location filename="engine/modalities/dual_head_pet/support.py" />
      <source>How far around matter decays may be</source>
      <translation>Wie weit um Materie Zerfälle liegen dürfen</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/demo.py" />
      <source>PET ring</source>
      <translation>PET-Ring</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Edge lengths x, y, z; the scanner's own if left out</source>
      <translation>Kantenlängen x, y, z; die des Scanners, wenn leer</translation>
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
      <source>All lines, or a seeded sample; auto samples many lines, no finer than the events need</source>
      <translation>Alle Linien, oder eine Stichprobe mit Startwert; auto nimmt viele Linien, nicht feiner, als die Ereignisse brauchen</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Error</source>
      <translation>Fehler</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Standard error of a sampled voxel</source>
      <translation>Standardfehler eines Voxels der Stichprobe</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Of the sample</source>
      <translation>Der Stichprobe</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Use arrival times where the scan has them</source>
      <translation>Ankunftszeiten verwenden, wo der Scan sie hat</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Frames of time: 10x60,5x300 are ten of 60 s, then five of 300 s; 0-60,120-180 are two, in seconds since the start, what lies between is left out; n=20 are twenty of as many prompts each; gates=8 are eight parts of each cycle of heart or breath, gates=8 of ecg by one of several signals; empty: the whole scan is one</source>
      <translation>Zeitabschnitte: 10x60,5x300 sind zehn von 60 s, dann fünf von 300 s; 0-60,120-180 sind zwei, in Sekunden seit dem Beginn, was dazwischen liegt, bleibt weg; n=20 sind zwanzig mit je gleich vielen Prompts; gates=8 sind acht Teile jedes Zyklus von Herz oder Atem, gates=8 of ecg nach einem von mehreren Signalen; leer: der ganze Scan ist einer</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Fit to the scan</source>
      <translation>An den Scan anpassen</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Passes and width of a Gaussian that are left out follow counts, timing and object; all frames of time have the width of the middle one, by counts</source>
      <translation>Leer gelassene Durchgänge und Gaußbreite folgen aus Ereigniszahl, Zeitauflösung und Objekt; alle Zeitabschnitte haben die Breite des mittleren, nach Ereignissen</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Reproducible bits</source>
      <translation>Reproduzierbare Bits</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/protocol.py" />
      <source>Integer sums: the same bits whatever the threads or the order of events</source>
      <translation>Ganzzahlige Summen: dieselben Bits, wie auch immer Threads oder Ereignisse geordnet sind</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/trigger_times.py" />
      <source>Trigger times</source>
      <translation>Triggerzeiten</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/trigger_times.py" />
      <source>When cycles of heart or breath began, in seconds since the scan did</source>
      <translation>Wann Zyklen von Herz oder Atem begannen, in Sekunden seit Beginn des Scans</translation>
    </message>
    <message>
      <location filename="engine/modalities/listmode_pet/trigger_times.py" />
      <source>Beginnings of heartbeats or breaths, for gates; without them, those of the scan.</source>
      <translation>Anfänge von Herzschlägen oder Atemzügen, für Gates; ohne sie die des Scans.</translation>
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
      <source>Edge lengths x, y, z; a pixel of the detector, seen at the axis, if left out</source>
      <translation>Kantenlängen x, y, z; ein Pixel des Detektors, an der Achse gesehen, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Width of the volume; all that is seen if left out</source>
      <translation>Breite des Volumens; alles Gesehene, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Height of the volume; all that is seen if left out</source>
      <translation>Höhe des Volumens; alles Gesehene, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Centre x, y, z; on the axis if left out</source>
      <translation>Mitte x, y, z; auf der Achse, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Beam that the protocol is made for; None: any</source>
      <translation>Strahl, für den das Protokoll gemacht ist; None: jeder</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>Back projection</source>
      <translation>Rückprojektion</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>The back projection of iterative algorithms: the exact transpose, or a faster one</source>
      <translation>Die Rückprojektion iterativer Algorithmen: die genaue Transponierte, oder eine schnellere</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>CT numbers (HU)</source>
      <translation>CT-Zahlen (HU)</translation>
    </message>
    <message>
      <location filename="engine/modalities/xray_ct/protocol.py" />
      <source>CT numbers instead of 1/mm</source>
      <translation>CT-Zahlen statt 1/mm</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Cylinder of even activity</source>
      <translation>Zylinder gleichmäßiger Aktivität</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Rotating line</source>
      <translation>Umlaufende Linie</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Of the activity, without the wall</source>
      <translation>Der Aktivität, ohne die Wand</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>beyond the scanner</source>
      <translation>über den Scanner hinaus</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Along the axis</source>
      <translation>Entlang der Achse</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Of the filling at 511 keV; water: 0.0096</source>
      <translation>Der Füllung bei 511 keV; Wasser: 0.0096</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Middle</source>
      <translation>Mitte</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Of the cylinder; a millimetre matters</source>
      <translation>Des Zylinders; ein Millimeter zählt</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Diameter of turn</source>
      <translation>Umlaufdurchmesser</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Diameter of the turn of its middle</source>
      <translation>Durchmesser des Umlaufs ihrer Mitte</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Thickness</source>
      <translation>Dicke</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Of the line</source>
      <translation>Der Linie</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>What was scanned</source>
      <translation>Was gemessen wurde</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Measure each position in a block</source>
      <translation>Jede Position in einem Block messen</translation>
    </message>
    <message>
      <location filename="engine/tools/normalisation_scan/source_settings.py" />
      <source>Untick this box if the scans have few counts</source>
      <translation>Entfernen Sie das Häkchen, wenn die Scans wenige Ereignisse haben</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/gaussian.py" />
      <source>Gaussian</source>
      <translation>Gauß</translation>
    </message>
    <message>
      <location filename="engine/recon/postprocess/gaussian.py" />
      <source>Full width at half maximum; if left out, list-mode PET takes it by resolution, counts and timing where a μ-map tells the object, all else 1.5 voxels</source>
      <translation>Halbwertsbreite; wenn leer, nach Auflösung, Ereignissen und Zeitauflösung in List-Mode-PET, wo eine μ-Karte das Objekt verrät, sonst 1.5 Voxel</translation>
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
      <source>Edge of the cube</source>
      <translation>Kante des Würfels</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Activity</source>
      <translation>Aktivität</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Filled in, less what stayed in the syringe</source>
      <translation>Eingefüllt, weniger dem Rest in der Spritze</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Measured</source>
      <translation>Gemessen</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>when the scan began</source>
      <translation>als der Scan begann</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>When the activity was measured</source>
      <translation>Wann die Aktivität gemessen wurde</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>from the size</source>
      <translation>aus der Größe</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>That it fills</source>
      <translation>Das sie füllt</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>not needed</source>
      <translation>nicht nötig</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Of the filling, where no volume is given</source>
      <translation>Der Füllung, wenn kein Volumen angegeben ist</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Nuclide</source>
      <translation>Nuklid</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Start of the scan</source>
      <translation>Beginn des Scans</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>When the frame began</source>
      <translation>Wann der Zeitabschnitt begann</translation>
    </message>
    <message>
      <location filename="engine/analysis/quality/cylinder_activity.py" />
      <source>Part of the frame in which the scanner could count</source>
      <translation>Teil des Zeitabschnitts, in dem der Scanner zählen konnte</translation>
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
      <source>Name shown to the user</source>
      <translation>Name, den der Benutzer sieht</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Name</source>
      <translation>Name</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Filters after each iteration</source>
      <translation>Filter nach jeder Iteration</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Between iterations</source>
      <translation>Zwischen Iterationen</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/fields.py" />
      <source>Filters of the finished image</source>
      <translation>Filter des fertigen Bildes</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>The scan: its file or its header</source>
      <translation>Der Scan: seine Datei oder sein Kopf</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Scanner name, scanner file or crystal map; None: as the scan says</source>
      <translation>Scannername, Scannerdatei oder Kristallkarte; leer: wie der Scan sagt</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Identified</source>
      <translation>Mit Namen</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Whether names of files and folders go along into what is written</source>
      <translation>Ob Namen von Dateien und Ordnern in Geschriebenes mitgehen</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Complete events of a file that is cut off</source>
      <translation>Vollständige Ereignisse einer abgeschnittenen Datei</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Whether list mode that ends within a record is used up to its last complete event</source>
      <translation>Ob List-Mode, der in einem Datensatz endet, bis zum letzten vollständigen Ereignis verwendet wird</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Inputs</source>
      <translation>Eingaben</translation>
    </message>
    <message>
      <location filename="engine/protocols/study/study.py" />
      <source>Auxiliary files by their role</source>
      <translation>Hilfsdateien nach ihrer Rolle</translation>
    </message>
    <message>
      <location filename="engine/tools/tuning/device_cone.py" />
      <source>back projection of cone beams</source>
      <translation>Rückprojektion von Kegelstrahlen</translation>
    </message>
    <message>
      <location filename="engine/tools/tuning/device_matrix.py" />
      <source>projection with a stored response</source>
      <translation>Projektion mit gespeicherter Systemantwort</translation>
    </message>
    <message>
      <location filename="engine/tools/tuning/device_rays.py" />
      <source>update of list mode</source>
      <translation>Aktualisierung des List-Mode</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Positron emitter, as F-18</source>
      <translation>Positronenstrahler, etwa F-18</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Tracer</source>
      <translation>Tracer</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>What carries the nuclide, as FDG</source>
      <translation>Was das Nuklid trägt, etwa FDG</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Half-life</source>
      <translation>Halbwertszeit</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>of the nuclide</source>
      <translation>des Nuklids</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Of the nuclide, where it is none of those known</source>
      <translation>Des Nuklids, wenn es keines der bekannten ist</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Positrons per decay</source>
      <translation>Positronen je Zerfall</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Positrons for each decay</source>
      <translation>Positronen je Zerfall</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Dose</source>
      <translation>Dosis</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Activity drawn up</source>
      <translation>Aufgezogene Aktivität</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Dose measured</source>
      <translation>Dosis gemessen</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>at the injection</source>
      <translation>bei der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>When the dose was measured; at the injection if left out</source>
      <translation>Wann die Dosis gemessen wurde; bei der Injektion, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Activity left in the syringe</source>
      <translation>In der Spritze verbliebene Aktivität</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Residual measured</source>
      <translation>Rest gemessen</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>When that was measured; at the injection if left out</source>
      <translation>Wann der gemessen wurde; bei der Injektion, wenn leer</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Injection</source>
      <translation>Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>When it was injected</source>
      <translation>Wann injiziert wurde</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Administration</source>
      <translation>Verabreichung</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>How it was given</source>
      <translation>Wie verabreicht wurde</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Injected mass</source>
      <translation>Injizierte Masse</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Of the compound, when it was injected</source>
      <translation>Der Substanz, bei der Injektion</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Weight</source>
      <translation>Gewicht</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Of the body</source>
      <translation>Des Körpers</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Height</source>
      <translation>Größe</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Sex</source>
      <translation>Geschlecht</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>F or M: lean mass differs</source>
      <translation>F oder M: Die fettfreie Masse unterscheidet sich</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Written for</source>
      <translation>Geschrieben für</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>any scan</source>
      <translation>jeden Scan</translation>
    </message>
    <message>
      <location filename="engine/data/timing/tracer.py" />
      <source>Fingerprint of the scan that this was written for; other scans are refused</source>
      <translation>Fingerabdruck des Scans, für den dies geschrieben wurde; andere Scans werden abgelehnt</translation>
    </message>
  </context>
</TS>
