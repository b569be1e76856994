"""Terms of the field and their meanings: for tooltips and for the glossary in the help."""

from __future__ import annotations

from app.language.translation import tr

GLOSSARY = {
    tr("Adjoint check"): tr(
        "A one-time check that back projection is the exact transpose of forward projection."
    ),
    tr("Attenuation"): tr(
        "Loss of photons by absorption and scatter in the patient. The μ-map contains the "
        "attenuation coefficient at each point."
    ),
    tr("Background variability"): tr(
        "NEMA measure of noise: the standard deviation across background regions of equal size, "
        "as a percentage of their mean."
    ),
    tr("Bad pixels"): tr(
        "Detector pixels that are dead or too bright. They are replaced by the median of their "
        "neighbours."
    ),
    tr("Beam hardening"): tr(
        "Low-energy X-rays are absorbed first, so the centre of a thick object appears too dark."
    ),
    tr("Binning"): tr(
        "Averaging of neighbouring pixels or views. It reduces noise, detail and computing time."
    ),
    tr("Block"): tr("A group of crystals with a shared readout."),
    tr("Block edges"): tr(
        "Crystals at the edge of a block or panel record fewer counts, because some photons "
        "scatter out."
    ),
    tr("Calibration"): tr(
        "The factor that converts counts/mm to Bq/mL. It is measured with a known activity."
    ),
    tr("Centre of rotation"): tr(
        "The detector column onto which the rotation axis is projected. With a wrong value, "
        "edges appear double."
    ),
    tr("Checkpoint"): tr("The saved state of a run. The run can be resumed from it later."),
    tr("Coefficient of variation"): tr(
        "The standard deviation divided by the mean. In a uniform region, it is a measure of noise."
    ),
    tr("Compiling"): tr(
        "The program code is compiled for this computer. The result is stored for later runs."
    ),
    tr("Contrast"): tr(
        "The mean of the region minus the mean of its background, as a percentage of the "
        "background mean."
    ),
    tr("Contrast recovery"): tr(
        "The measured contrast of a sphere as a percentage of its true contrast. Small spheres "
        "lose contrast because of the limited resolution."
    ),
    tr("Contrast-to-noise ratio"): tr(
        "The mean of the region minus the mean of its background, divided by the standard "
        "deviation of the background."
    ),
    tr("Corrections"): tr("The data for each correction are computed from the scan."),
    tr("Crop"): tr("Only some rows or columns of the detector are used."),
    tr("CT number"): tr("Attenuation in Hounsfield units (HU): water is 0 and air is -1000."),
    tr("Dark and flat field"): tr(
        "Dark fields are images with the beam off. Flat fields are images with the beam on and "
        "no object. Both are used to remove the fixed pattern of the detector."
    ),
    tr("Dead time"): tr(
        "The time during which the scanner processes an event and cannot record others. It "
        "lowers the measured activity."
    ),
    tr("Delayeds"): tr(
        "Coincidences recorded with an artificial delay. All of them are random, so they are "
        "used to estimate the randoms."
    ),
    tr("Detector roll"): tr(
        "A small rotation of the detector in its own plane. If it is not corrected, edges "
        "above and below the central row appear double."
    ),
    tr("Error map"): tr(
        "Replicates of the scan with new noise are reconstructed. Their spread is the error of "
        "each voxel."
    ),
    tr("Event"): tr("One recorded coincidence of two photons."),
    tr("Filtered back projection"): tr(
        "Direct CT reconstruction: each projection is filtered and back-projected. FDK is the "
        "version for cone beams."
    ),
    tr("Finishing"): tr(
        "The final filters are applied, and the image values are converted to the output unit."
    ),
    tr("Frame"): tr("A time interval of the scan that is reconstructed as a separate image."),
    tr("Frequency of"): tr(
        "The spatial frequency at which this percentage of the contrast remains."
    ),
    tr("FWHM"): tr(
        "Full width at half maximum: the width of a point source in the image at half its peak "
        "value. A smaller value means a sharper image."
    ),
    tr("FWTM"): tr(
        "Full width at tenth maximum: the width of a point source in the image at a tenth of "
        "its peak value. It describes the tails."
    ),
    tr("Gate"): tr(
        "A phase of the cardiac or respiratory cycle that is reconstructed as a separate image."
    ),
    tr("Half fan"): tr(
        "A detector that is offset sideways and covers only about half of the object in each view."
    ),
    tr("Iteration"): tr(
        "One pass over all data (MAP: three passes). With MLEM and OSEM, more iterations give a "
        "sharper and noisier image."
    ),
    tr("Largest change in a region"): tr(
        "The largest change in any block of 4 × 4 × 4 voxels during the last iteration, relative "
        "to the typical activity. It tends to 0 at the optimum."
    ),
    tr("Level"): tr("The mean image value compared with the true value in the phantom."),
    tr("Line geometry"): tr(
        "The geometric efficiency of a line of response, calculated from the distance, tilt "
        "and depth of its two crystals."
    ),
    tr("Line of response"): tr("The line between the two crystals of a coincidence (LOR)."),
    tr("List mode"): tr("A record of every event in the order of detection."),
    tr("Log-likelihood"): tr(
        "A measure of how well the image explains the measured events. It rises and then "
        "levels off. Further iterations add more noise than detail."
    ),
    tr("Logarithm"): tr(
        "The transmission is converted to the line integral of the attenuation along each ray."
    ),
    tr("Lung residual error"): tr(
        "The mean signal in the lung insert, as a percentage of the background. The insert "
        "contains no activity, so any signal is an error of the scatter or attenuation "
        "correction."
    ),
    tr("MAP"): tr(
        "Penalised PET reconstruction (maximum a posteriori). A prior limits the noise. The run "
        "stops by itself at an image that does not depend on the number of iterations or subsets."
    ),
    tr("MLEM"): tr(
        "Iterative PET reconstruction that uses all data in each update. It is the same as "
        "OSEM with one subset."
    ),
    tr("Modulation transfer"): tr(
        "The fraction of contrast that the image preserves at each spatial frequency (MTF)."
    ),
    tr("μ-map"): tr("An image of the linear attenuation coefficients at 511 keV."),
    tr("Noise power"): tr(
        "The noise power at each spatial frequency (NPS). It shows whether the noise is fine "
        "or coarse."
    ),
    tr("Normalisation"): tr(
        "Correction for differences in efficiency between crystals and between lines of "
        "response. Without it, rings and stripes appear."
    ),
    tr("OSEM"): tr(
        "Iterative PET reconstruction that uses one subset of the data in each update. It is "
        "faster than MLEM."
    ),
    tr("Peak (1 mL)"): tr(
        "The highest mean value in any 1 mL sphere of the region. It is less noisy than the "
        "maximum."
    ),
    tr("Penalised log-likelihood"): tr(
        "A measure of how well the image explains the measured events, minus a penalty for "
        "noise. It rises and then levels off at the optimum."
    ),
    tr("Preparation"): tr("The projections are corrected before the reconstruction."),
    tr("Prompts"): tr("All recorded coincidences: trues, scatter and randoms."),
    tr("Protocol"): tr(
        "Saved reconstruction settings: voxels, corrections, algorithm and filters."
    ),
    tr("Provenance"): tr(
        "The record of how an image was created: files, settings and program versions. It is "
        "stored with the image."
    ),
    tr("Pseudonym"): tr("A code, such as study-1a2b3c4d, that replaces a name in files."),
    tr("Randoms"): tr(
        "Coincidences of two photons from different decays. They add a background to the image."
    ),
    tr("Read"): tr("The scan is read from disk."),
    tr("Reconstruction"): tr("The image is computed from the projections."),
    tr("Region"): tr("A volume of interest (VOI) in which image values are measured."),
    tr("Residual"): tr(
        "The part of the measurement that the image does not explain. It falls and then levels off."
    ),
    tr("Resolution"): tr(
        "The point spread function of the scanner, included in the model. Small objects regain "
        "contrast, and edges become sharper. Without a filter, edges are slightly too bright."
    ),
    tr("Response"): tr(
        "The probability that a pair of crystals detects a decay in a voxel. It is computed "
        "once for all pairs and voxels and then stored."
    ),
    tr("Rings"): tr(
        "Circular artefacts around the rotation axis. They are caused by detector pixels with "
        "a slightly wrong sensitivity."
    ),
    tr("Rotation axis"): tr("The line around which the source or the object rotates."),
    tr("Scatter"): tr(
        "Coincidences in which at least one photon was scattered in the patient. They add a "
        "haze, mostly in the centre."
    ),
    tr("Sensitivity"): tr(
        "The detection efficiency of the scanner for each voxel. It is stored on disk for "
        "later runs."
    ),
    tr("Short scan"): tr(
        "A scan over less than a full rotation. Only some of the rays are measured twice."
    ),
    tr("Sinogram"): tr(
        "Counts sorted by the angle and the radial distance of their lines of response."
    ),
    tr("Spill-over"): tr(
        "The signal in a region without activity, as a percentage of the background."
    ),
    tr("Spread of voxels"): tr(
        "The standard deviation of the voxel values in a uniform region. It is a measure of noise."
    ),
    tr("Standard deviation"): tr(
        "The spread of the voxel values around their mean. In a uniform region, it is a "
        "measure of noise."
    ),
    tr("Study"): tr("One scan with its inputs and its protocol."),
    tr("Subset"): tr(
        "A part of the data. Each update uses one subset, and an iteration uses all of them."
    ),
    tr("SUV"): tr(
        "Standardised uptake value: the activity concentration divided by the injected dose "
        "per gram of body weight. A uniform distribution gives 1."
    ),
    tr("Time of flight"): tr(
        "The difference between the arrival times of the two photons. It shows roughly where "
        "on the line of response the decay took place."
    ),
    tr("Trues"): tr("Coincidences of two unscattered photons from the same decay."),
    tr("Uniformity"): tr("The variation of the image values within a uniform object."),
    tr("Units"): tr(
        "Counts are converted to activity concentration with the calibration of the scanner. "
        "Without a calibration, the values are relative."
    ),
    tr("Valley / peak"): tr(
        "The signal between two rods divided by the signal in the rods. A lower value means "
        "that the rods are better resolved."
    ),
    tr("Voxel"): tr("The smallest element of a volume, like a pixel in a picture."),
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
    # Several terms can match, such as "Iteration" and a longer one. The longest is the term.
    return GLOSSARY[max(found, key=len)] if found else ""
