"""Machines of users, and the expected device and message for each."""

from __future__ import annotations

from tests.machines.made import Card, Machine

ADA = Card("NVIDIA RTX 4090", 89, 24)
PASCAL = Card("NVIDIA GeForce GTX 1080", 61)
VOLTA = Card("Tesla V100-SXM2-16GB", 70, 16)
SHARE = Card("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 80, 5)
AGAIN = r"[Rr]un `python3 packaging/bootstrap\.py run`"
UNAVAILABLE = "cudaErrorDevicesUnavailable: CUDA-capable device(s) is/are busy or unavailable"

MACHINES = {
    "no GPU and no driver": Machine(driver=None, cupy=None),
    "CUDA 13": Machine((ADA,), key="cuda"),
    "CUDA 12": Machine((ADA,), driver=12040, cupy=12, key="cuda"),
    "Pascal with a new driver": Machine((PASCAL,), cupy=12, key="cuda"),
    "Pascal with a CuPy for newer GPUs": Machine(
        (PASCAL,),
        words=r"CuPy for CUDA 13 cannot compile for NVIDIA GeForce GTX 1080 "
        rf"\(Pascal, compute capability 6\.1\); {AGAIN}",
    ),
    "Volta with a CuPy for newer GPUs": Machine(
        (VOLTA,),
        words=rf"cannot compile for Tesla V100.* \(Volta, compute capability 7\.0\); {AGAIN}",
    ),
    "exclusive mode": Machine(
        (ADA,),
        fault=UNAVAILABLE,
        in_use=True,
        words="busy or unavailable. Another program is using the GPU exclusively; end it",
    ),
    "prohibited mode": Machine(
        (Card("NVIDIA RTX 4090", 89, 24, mode=2),),
        words="prohibited compute mode; run `nvidia-smi -i 0 -c DEFAULT`",
    ),
    "no NVRTC": Machine(
        (ADA,), fault="nvrtc", in_use=True, words=rf"CUDA library is missing.*nvrtc.*{AGAIN}"
    ),
    "old driver": Machine(
        (ADA,), driver=11080, cupy=12, words=r"supports CUDA 11\.8, .*install a newer driver"
    ),
    "driver older than CuPy": Machine(
        (ADA,), driver=12040, words=rf"supports CUDA 12\.4, .* needs CUDA 13; .*{AGAIN}"
    ),
    "full card": Machine(
        (Card("NVIDIA RTX 4090", 89, 24, free_gib=0.1),),
        words=r"only 102 MiB of free memory, .*close other programs",
    ),
    "card that fills up": Machine(
        (ADA,),
        fault="cudaErrorMemoryAllocation: out of memory",
        in_use=True,
        words="starting the GPU: the GPU is out of memory",
    ),
    "share of a card": Machine((SHARE,), key="cuda"),
    "Linux in Windows": Machine((ADA,), environment=(("WSL_DISTRO_NAME", "Ubuntu"),), key="cuda"),
    "Linux in Windows without its driver": Machine(
        code=100,
        environment=(("WSL_DISTRO_NAME", "Ubuntu"),),
        words="No GPU was found.*Update the driver in Windows",
    ),
    "two cards": Machine((ADA, Card("NVIDIA RTX A4000", 86, 16)), key="cuda"),
    "two cards, the first full": Machine(
        (Card("NVIDIA RTX 4090", 89, 24, free_gib=0), ADA), key="cuda:1"
    ),
    "no permission": Machine(
        code=304, words=r"CUDA error 304\). The system denies .*/dev/nvidia\*"
    ),
    "driver without a card": Machine(code=100, words=r"CUDA error 100\)\. No GPU was found"),
    "driver that lists none": Machine(words=r"CUDA error 100\)\. No GPU was found"),
    "middle of an update": Machine((ADA,), code=803, words="differ, as after an update; restart"),
    "MPS that does not answer": Machine((ADA,), code=805, words=r"\(MPS\) does not respond"),
    "CuPy that does not import": Machine(
        (ADA,), fault="import", in_use=True, words=rf"incomplete \(libcudart.*\); {AGAIN}"
    ),
    "CuPy without its parts": Machine(
        (ADA,), fault="no parts", in_use=True, words=rf"incomplete \(.*cuda.*\); {AGAIN}"
    ),
    "no CuPy": Machine((ADA,), cupy=None, words=rf"CuPy, .* is not installed; {AGAIN}"),
    "card that failed its self-test": Machine(
        (ADA,), failed=True, words=r"self-test\. .*: list mode: off by 3 %\. .*doctor --gpu"
    ),
}
