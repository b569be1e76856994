"""Files of Siemens scanners: ECAT, PETLINK, sinograms, raw DICOM."""
