"""pyqtgraph pictures: views of volumes."""
