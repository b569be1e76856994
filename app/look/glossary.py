"""Words of the field in plain ones: for tips beside them, and for the page of words in the help."""

from __future__ import annotations

from app.language.translation import tr

GLOSSARY = {
    tr("Adjoint check"): tr(
        "Whether back projection is the exact reverse of projection, tried once."
    ),
    tr("Attenuation"): tr(
        "Photons that the patient absorbs or scatters before they reach a crystal. The μ-map "
        "says how many."
    ),
    tr("Background variability"): tr(
        "Noise: how much equal parts of the uniform background differ, in percent of their mean."
    ),
    tr("Bad pixels"): tr(
        "Pixels of the detector that are dead or too bright. Their neighbours stand in for them."
    ),
    tr("Beam hardening"): tr(
        "Soft X-rays are absorbed first, so that the middle of thick parts looks too dark."
    ),
    tr("Binning"): tr(
        "Neighbouring pixels or views are added: less noise, less detail, less to compute."
    ),
    tr("Centre of rotation"): tr(
        "The column of the detector that sees the axis. A wrong one doubles edges."
    ),
    tr("Checkpoint"): tr("The state of a run, saved on the way, from which it can go on later."),
    tr("Coefficient of variation"): tr(
        "The standard deviation over the mean: noise, where the region is uniform."
    ),
    tr("Compiling"): tr("The program for this machine is made ready. It is kept for the next run."),
    tr("Contrast"): tr(
        "How far the region stands above its background, in percent of the background."
    ),
    tr("Contrast recovery"): tr(
        "How much of the true contrast of a sphere the image shows; small spheres lose some to "
        "blur."
    ),
    tr("Contrast to noise"): tr(
        "How far the region stands above its background, in standard deviations of the background."
    ),
    tr("Corrections"): tr("What each correction needs is worked out from the scan."),
    tr("Crop"): tr("Only some rows or columns of the detector are used."),
    tr("CT number"): tr("Attenuation on the scale on which water is 0 and air is -1000 (HU)."),
    tr("Dark and flat field"): tr(
        "Images without a beam and without an object, which take the detector's own pattern away."
    ),
    tr("Delayeds"): tr(
        "Coincidences counted with a delay. They are all by chance and tell the randoms."
    ),
    tr("Detector roll"): tr(
        "A detector that is turned a little in its plane. It doubles edges above and below the "
        "middle."
    ),
    tr("Edges of blocks"): tr(
        "Crystals at the edge of a block, or of a panel, count less: photons scatter out of it."
    ),
    tr("Finishing"): tr("Filters and units of the finished image."),
    tr("Frequency of"): tr("Details of this fineness keep this part of their contrast."),
    tr("FWHM"): tr("Full width at half maximum: how wide a point looks. The smaller, the sharper."),
    tr("FWTM"): tr(
        "Full width at tenth maximum: how wide a point looks near its foot. It tells of tails."
    ),
    tr("Geometry of the lines"): tr(
        "How well the crystals at both ends of a line see each other, by place and angle alone."
    ),
    tr("Half fan"): tr(
        "A detector that stands beside the axis and sees half of the object in each view."
    ),
    tr("Iteration"): tr("One pass over all the data. More of them: sharper, and noisier."),
    tr("Level"): tr("Whether the mean of the image is what the phantom holds."),
    tr("Log-likelihood"): tr(
        "How well the image explains the measured events. It rises and levels off; after that, "
        "iterations add noise more than detail."
    ),
    tr("Logarithm"): tr("Makes transmission into attenuation along each ray."),
    tr("Modulation transfer"): tr(
        "How much contrast is left of details, the finer they are (MTF)."
    ),
    tr("μ-map"): tr("A volume of how strongly each place absorbs photons of 511 keV."),
    tr("Noise power"): tr("Whether the noise is fine or coarse (NPS)."),
    tr("Normalisation"): tr(
        "How well each crystal or line counts; without it rings and stripes appear."
    ),
    tr("Peak (1 mL)"): tr(
        "The highest mean of a ball of 1 mL in the region: less noisy than its maximum."
    ),
    tr("Preparation"): tr("Projections are corrected before the image is made."),
    tr("Prompts"): tr("All coincidences that were counted: true, scattered and by chance."),
    tr("Provenance"): tr(
        "All that made an image: files, settings, versions. It is written beside it."
    ),
    tr("Pseudonym"): tr("A mark such as study-1a2b3c4d that stands for a name in what is written."),
    tr("Randoms"): tr(
        "Coincidences of two photons that have nothing to do with each other. A haze over the "
        "image."
    ),
    tr("Read"): tr("The scan comes from the disk."),
    tr("Reconstruction"): tr("The image is made from the projections."),
    tr("Residual"): tr(
        "What of the measurement the image does not explain. It falls and levels off."
    ),
    tr("Residual in the lung"): tr(
        "What the image shows in the lung insert, where there is no activity: scatter or "
        "attenuation that is left."
    ),
    tr("Resolution"): tr(
        "How wide the scanner sees a point, put into the model: small things get back contrast; "
        "edges get sharper, and without a filter somewhat too high."
    ),
    tr("Response"): tr("How likely each pair of crystals sees each voxel; computed once and kept."),
    tr("Rings"): tr("Pixels that count too much or too little draw circles about the axis."),
    tr("Scatter"): tr(
        "Photons that changed their way in the patient. A haze, mostly in the middle."
    ),
    tr("Sensitivity"): tr("How well the scanner sees each voxel; kept on disk for the next run."),
    tr("Short scan"): tr(
        "A scan over less than a full circle, whose rays are not all measured twice."
    ),
    tr("Spill-over"): tr(
        "What the image shows in a part without activity, in percent of the background."
    ),
    tr("Spread of voxels"): tr("The standard deviation of the voxels of a uniform part: noise."),
    tr("Standard deviation"): tr(
        "How far the voxels are from their mean, as a rule: noise, where the region is uniform."
    ),
    tr("Subset"): tr("A part of the data. Each update uses one; an iteration uses all of them."),
    tr("SUV"): tr(
        "Uptake value: the concentration, divided by the dose for each gram of the body. 1 is "
        "what an even spread would give."
    ),
    tr("Time of flight"): tr(
        "Which photon came first, and by how much. It says roughly where on its line a decay "
        "took place."
    ),
    tr("Uniformity"): tr("Whether a uniform object looks the same everywhere."),
    tr("Units"): tr(
        "Makes activity of counts, by a calibration of the scanner; else they stay relative."
    ),
    tr("Valley / peak"): tr(
        "How deep the image falls between two rods, relative to their height. The lower, the "
        "better they are told apart."
    ),
    tr("Voxel"): tr("The smallest cube of a volume, as a pixel is of a picture."),
}
"""What a technician may not know, or not by this name; one or two sentences each."""


def meaning_of(words: str) -> str:
    """Return what a word means, or a title that begins with it; empty for others."""
    found = [word for word in GLOSSARY if words.startswith(word)]
    return GLOSSARY[max(found, key=len)] if found else ""
