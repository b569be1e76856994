"""Terms of the field and their meanings: for tooltips and for the glossary in the help."""

from __future__ import annotations

from app.language.translation import tr

GLOSSARY = {
    tr("Adjoint check"): tr(
        "A single test that back projection is the exact transpose of projection."
    ),
    tr("Attenuation"): tr(
        "Absorption and scatter of photons in the patient before they reach a crystal. The "
        "μ-map gives its strength at each place."
    ),
    tr("Background variability"): tr(
        "NEMA measure of noise: the variation between equal regions of the uniform background, as "
        "a percentage of their mean."
    ),
    tr("Bad pixels"): tr(
        "Detector pixels that are dead or too bright. The median of their neighbours replaces them."
    ),
    tr("Beam hardening"): tr(
        "Low-energy X-rays are absorbed first, so the centre of thick parts looks too dark."
    ),
    tr("Binning"): tr(
        "The sum of neighbouring pixels or views. It reduces noise, detail and computing time."
    ),
    tr("Block"): tr("Crystals with a common readout."),
    tr("Calibration"): tr("The factor from counts/mm to Bq/mL, measured with a known activity."),
    tr("Centre of rotation"): tr(
        "The detector column that sees the rotation axis. A wrong value doubles edges."
    ),
    tr("Checkpoint"): tr("The saved state of a run, from which it can continue later."),
    tr("Coefficient of variation"): tr(
        "Standard deviation divided by the mean. In a uniform region it measures noise."
    ),
    tr("Compiling"): tr(
        "The program is prepared for this computer. The result is stored for the next run."
    ),
    tr("Contrast"): tr(
        "The difference between the region and its background, as a percentage of the background."
    ),
    tr("Contrast recovery"): tr(
        "The part of a sphere's true contrast that the image shows. Small spheres lose "
        "contrast because of the limited resolution."
    ),
    tr("Contrast to noise"): tr(
        "The difference between the region and its background, in standard deviations of the "
        "background."
    ),
    tr("Corrections"): tr("The data for each correction are computed from the scan."),
    tr("Crop"): tr("Only some rows or columns of the detector are used."),
    tr("CT number"): tr("Attenuation in Hounsfield units (HU): water is 0 and air is -1000."),
    tr("Dark and flat field"): tr(
        "Images with the beam off, and with the beam on but no object. They are used to remove "
        "the detector's fixed pattern."
    ),
    tr("Dead time"): tr(
        "The time during which the scanner is busy and cannot count. It lowers the measured "
        "activity."
    ),
    tr("Delayeds"): tr(
        "Coincidences with an artificial delay. All of them are random, so they measure the "
        "randoms."
    ),
    tr("Detector roll"): tr(
        "A small rotation of the detector in its plane. It doubles edges above and below the "
        "middle."
    ),
    tr("Edges of blocks"): tr(
        "Crystals at the edge of a block or panel count less, because photons scatter out of it."
    ),
    tr("Event"): tr("One recorded coincidence of two photons."),
    tr("Filtered back projection"): tr(
        "Direct CT reconstruction: each projection is filtered and projected back. FDK is the "
        "form for cone beams."
    ),
    tr("Finishing"): tr("Filters and units of the finished image."),
    tr("Frame"): tr("A part of the scan time with an image of its own."),
    tr("Frequency of"): tr("The spatial frequency at which this part of the contrast remains."),
    tr("FWHM"): tr(
        "Full width at half maximum: the width of the image of a point. A smaller value means "
        "a sharper image."
    ),
    tr("FWTM"): tr(
        "Full width at tenth maximum: the width of the image of a point near its base. It "
        "shows the tails."
    ),
    tr("Gate"): tr("A part of the heart or breathing cycle with an image of its own."),
    tr("Geometry of the lines"): tr(
        "The geometric efficiency of a line of response, from distance, tilt and depth of its "
        "two crystals."
    ),
    tr("Half fan"): tr("An offset detector that sees half of the object in each view."),
    tr("Iteration"): tr(
        "One pass over all data. More iterations give a sharper and noisier image."
    ),
    tr("Level"): tr("The mean of the image, compared with the true value of the phantom."),
    tr("Line of response"): tr("The line between the two crystals of a coincidence (LOR)."),
    tr("List mode"): tr("A record of every single event, in the order of detection."),
    tr("Log-likelihood"): tr(
        "How well the image explains the measured events. It rises and levels off. After "
        "that, iterations add more noise than detail."
    ),
    tr("Logarithm"): tr("Converts transmission to attenuation along each ray."),
    tr("MLEM"): tr(
        "Iterative PET reconstruction with all data in each update. OSEM with one subset is MLEM."
    ),
    tr("Modulation transfer"): tr(
        "The remaining contrast of details at each spatial frequency (MTF)."
    ),
    tr("μ-map"): tr("An image of the linear attenuation coefficient for photons of 511 keV."),
    tr("Noise power"): tr(
        "Noise at each spatial frequency (NPS). It shows if the noise is fine or coarse."
    ),
    tr("Normalisation"): tr(
        "Correction for the different efficiencies of crystals and lines. Without it, rings "
        "and stripes appear."
    ),
    tr("OSEM"): tr(
        "Iterative PET reconstruction with one subset of the data in each update. It is "
        "faster than MLEM."
    ),
    tr("Peak (1 mL)"): tr(
        "The highest mean of a 1 mL sphere in the region. It is less noisy than the maximum."
    ),
    tr("Preparation"): tr("The projections are corrected before the reconstruction."),
    tr("Prompts"): tr("All recorded coincidences: trues, scatter and randoms."),
    tr("Protocol"): tr(
        "Saved settings of a reconstruction: voxels, corrections, algorithm and filters."
    ),
    tr("Provenance"): tr(
        "The record of an image: files, settings and versions. It is stored with the image."
    ),
    tr("Pseudonym"): tr("A code such as study-1a2b3c4d that replaces a name in files."),
    tr("Randoms"): tr(
        "Coincidences of two photons from different decays. They add a haze to the image."
    ),
    tr("Read"): tr("The scan is read from disk."),
    tr("Reconstruction"): tr("The image is computed from the projections."),
    tr("Region"): tr("A volume of interest (VOI), in which the image is measured."),
    tr("Residual"): tr(
        "The part of the measurement that the image does not explain. It falls and levels off."
    ),
    tr("Residual in the lung"): tr(
        "The signal in the lung insert, which contains no activity. It shows remaining errors in "
        "the scatter or attenuation correction."
    ),
    tr("Resolution"): tr(
        "The point spread of the scanner, as part of the model. Small objects regain contrast "
        "and edges get sharper. Without a filter, edges become slightly too bright."
    ),
    tr("Response"): tr(
        "The probability that each pair of crystals detects a decay in each voxel. It is "
        "computed once and stored."
    ),
    tr("Rings"): tr(
        "Circles around the axis, caused by detector pixels that read too high or too low."
    ),
    tr("Rotation axis"): tr("The line about which the source or the object rotates."),
    tr("Scatter"): tr(
        "Coincidences in which a photon changed direction in the patient. They add a haze, "
        "mostly in the centre."
    ),
    tr("Sensitivity"): tr(
        "The detection efficiency of the scanner for each voxel. It is stored on disk for the "
        "next run."
    ),
    tr("Short scan"): tr(
        "A scan over less than a full circle. Only some of its rays are measured twice."
    ),
    tr("Sinogram"): tr("Counts, sorted by the direction and the distance of their lines."),
    tr("Spill-over"): tr(
        "The signal in a part without activity, as a percentage of the background."
    ),
    tr("Spread of voxels"): tr(
        "The standard deviation of the voxels in a uniform part: a measure of noise."
    ),
    tr("Standard deviation"): tr(
        "The typical deviation of the voxel values from their mean. In a uniform region it "
        "measures noise."
    ),
    tr("Study"): tr("One scan with its inputs and its protocol."),
    tr("Subset"): tr(
        "A part of the data. Each update uses one subset, and an iteration uses all of them."
    ),
    tr("SUV"): tr(
        "Standardised uptake value: the activity concentration, divided by the dose per gram "
        "of body weight. A uniform distribution gives 1."
    ),
    tr("Time of flight"): tr(
        "The difference between the arrival times of the two photons. It shows roughly where "
        "on its line a decay took place."
    ),
    tr("Trues"): tr("Coincidences of two photons from one decay, neither of them scattered."),
    tr("Uniformity"): tr("The variation of the image within a uniform object."),
    tr("Units"): tr(
        "Converts counts to activity with a calibration of the scanner. Without a "
        "calibration, values are relative."
    ),
    tr("Valley / peak"): tr(
        "The signal between two rods, divided by their height. A lower value means better "
        "resolved rods."
    ),
    tr("Voxel"): tr("The smallest element of a volume, as a pixel is of a picture."),
    tr("Voxel size"): tr(
        "The edge lengths of a voxel. Smaller voxels show finer detail and need more memory "
        "and time."
    ),
}
"""Terms that a technician may not know, in one or two sentences each."""


def meaning_of(words: str) -> str:
    """Return the meaning of a term.

    Parameters
    ----------
    words
        a term, or a title that begins with one

    Returns
    -------
    "" for an unknown term
    """
    # A title may add a unit or a number to its term.
    found = [word for word in GLOSSARY if words.startswith(word)]
    # The longest match wins: "Residual" must not explain "Residual in the lung".
    return GLOSSARY[max(found, key=len)] if found else ""
