"""The readers of X-ray scans, in the order in which they are asked."""

from __future__ import annotations

from engine.io.base import ProjectionsReader
from engine.io.xray.bruker import Bruker
from engine.io.xray.cil import CilNexus
from engine.io.xray.ctsimu.scan import CtSimu
from engine.io.xray.elekta.scan import Elekta
from engine.io.xray.esrf.scan import EsrfEdf
from engine.io.xray.flexray import FlexRay
from engine.io.xray.hdf5.dxchange import DxChange
from engine.io.xray.hdf5.nxtomo import NxTomo
from engine.io.xray.htc import HtcMatlab
from engine.io.xray.nikon import Nikon
from engine.io.xray.rtk import RtkXml
from engine.io.xray.sidecar.scan import RawSidecar
from engine.io.xray.varian.scan import Varian
from engine.io.xray.varian.varian_obi import VarianObi
from engine.io.xray.vectors import AstraVectors
from engine.io.xray.zeiss import Zeiss

PROJECTION_READERS: tuple[type[ProjectionsReader], ...] = (
    RawSidecar,
    AstraVectors,
    RtkXml,
    Nikon,
    Bruker,
    FlexRay,
    HtcMatlab,
    DxChange,
    CilNexus,
    NxTomo,
    Zeiss,
    Varian,
    CtSimu,
    VarianObi,
    Elekta,
    EsrfEdf,
)
"""Kinds of files that describe a scan; if a folder has several, the earlier one counts."""
