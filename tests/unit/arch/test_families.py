"""Families of files named by device."""

from __future__ import annotations

from tests.unit.arch.asking import evaluated


def test_a_family_is_one_table_with_its_folder_as_place() -> None:
    names = [
        "NVIDIA_H100_80GB_HBM3",
        "NVIDIA_B200",
        "NVIDIA_H200",
        "NVIDIA_RTX_PRO_6000_Blackwell_Max-Q_Workstation_Edition",
    ]
    beside = [f"pkg/configs/triton_3_4_0/E=8,N=256,device_name={name}.json" for name in names]
    (row,) = evaluated({"pkg/m.py": "x = 1\n"}, beside=beside).answer().rows
    assert (row.place.file, row.place.line, row.kind) == ("pkg/configs", 1, "files")
    assert [row.verdict(a) for a in ("sm90", "sm100", "sm103", "sm120")] == [
        "covered",
        "covered",
        "fallback",
        "fallback",
    ]


def test_few_files_are_no_family() -> None:
    beside = ["configs/device_name=NVIDIA_H100.json"]
    assert evaluated({"m.py": "x = 1\n"}, beside=beside).answer().rows == ()
