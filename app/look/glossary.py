"""Words of the field in plain ones: for tips beside them, and for the page of words in the help."""

from __future__ import annotations

GLOSSARY = {
    "Adjoint check": "Whether back projection is the exact reverse of projection, tried once.",
    "Attenuation": "Photons that the patient absorbs or scatters before they reach a crystal. The "
    "μ-map says how many.",
    "Bad pixels": "Pixels of the detector that are dead or too bright. Their neighbours stand in "
    "for them.",
    "Beam hardening": "Soft X-rays are absorbed first, so that the middle of thick parts looks too "
    "dark.",
    "Binning": "Neighbouring pixels or views are added: less noise, less detail, less to compute.",
    "Centre of rotation": "The column of the detector that sees the axis. A wrong one doubles "
    "edges.",
    "Checkpoint": "The state of a run, saved on the way, from which it can go on later.",
    "Coefficient of variation": "The standard deviation over the mean: noise, where the region is "
    "uniform.",
    "Compiling": "The program for this machine is made ready. It is kept for the next run.",
    "Contrast to noise": "How far the region stands above its background, in standard deviations "
    "of the background.",
    "Corrections": "What each correction needs is worked out from the scan.",
    "Crop": "Only some rows or columns of the detector are used.",
    "Dark and flat field": "Images without a beam and without an object, which take the detector's "
    "own pattern away.",
    "Delayeds": "Coincidences counted with a delay. They are all by chance and tell the randoms.",
    "Detector roll": "A detector that is turned a little in its plane. It doubles edges above and "
    "below the middle.",
    "Edges of blocks": "Crystals at the edge of a block, or of a panel, count less: photons "
    "scatter out of it.",
    "Finishing": "Filters and units of the finished image.",
    "FWHM": "Full width at half maximum: how wide a point looks. The smaller, the sharper.",
    "Geometry of the lines": "How well the crystals at both ends of a line see each other, by "
    "place and angle alone.",
    "Half fan": "A detector that stands beside the axis and sees half of the object in each view.",
    "Iteration": "One pass over all the data. More of them: sharper, and noisier.",
    "Log-likelihood": "How well the image explains the measured events. It rises and levels off; "
    "after that, iterations add noise more than detail.",
    "Logarithm": "Makes transmission into attenuation along each ray.",
    "μ-map": "A volume of how strongly each place absorbs photons of 511 keV.",
    "Normalisation": "How well each crystal or line counts; without it rings and stripes appear.",
    "Peak (1 mL)": "The highest mean of a ball of 1 mL in the region: less noisy than its maximum.",
    "Preparation": "Projections are corrected before the image is made.",
    "Prompts": "All coincidences that were counted: true, scattered and by chance.",
    "Provenance": "All that made an image: files, settings, versions. It is written beside it.",
    "Pseudonym": "A mark such as study-1a2b3c4d that stands for a name in what is written.",
    "Randoms": "Coincidences of two photons that have nothing to do with each other. A haze over "
    "the image.",
    "Read": "The scan comes from the disk.",
    "Reconstruction": "The image is made from the projections.",
    "Residual": "What of the measurement the image does not explain. It falls and levels off.",
    "Resolution": "How wide the scanner sees a point, put into the model: small things get back "
    "contrast; edges get sharper, and without a filter somewhat too high.",
    "Response": "How likely each pair of crystals sees each voxel; computed once and kept.",
    "Rings": "Pixels that count too much or too little draw circles about the axis.",
    "Scatter": "Photons that changed their way in the patient. A haze, mostly in the middle.",
    "Sensitivity": "How well the scanner sees each voxel; kept on disk for the next run.",
    "Short scan": "A scan over less than a full circle, whose rays are not all measured twice.",
    "Subset": "A part of the data. Each update uses one; an iteration uses all of them.",
    "Time of flight": "Which photon came first, and by how much. It says roughly where on its line "
    "a decay took place.",
    "Units": "Makes activity of counts, by a calibration of the scanner; else they stay relative.",
    "Voxel": "The smallest cube of a volume, as a pixel is of a picture.",
}
"""What a technician may not know, or not by this name; one or two sentences each."""


def meaning_of(words: str) -> str:
    """Return what a word means, or a title that begins with it; empty for others."""
    return next((text for word, text in GLOSSARY.items() if words.startswith(word)), "")
