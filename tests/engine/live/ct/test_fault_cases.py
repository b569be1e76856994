"""List the faults of live scans, each with the test that provokes it."""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
CLI = "../../cli/live/test_live_reconstruct.py"
SCANS, SOURCES = "test_faults_of_scans.py", "test_faults_of_sources.py"
CASES = {
    "sender killed and started again": (
        "test_stream.py::test_killed_sender_reconnects_and_starts_a_new_scan"
    ),
    "sender killed in mid-message": (
        f"{SOURCES}::test_sender_killed_within_a_message_leaves_no_partial_frame"
    ),
    "missing sender": (f"{SCANS}::test_missing_sender_is_waited_for_and_can_be_cancelled"),
    "header without shape, of a wrong type, too large": (
        "test_stream.py::test_malformed_message_is_refused_with_one_sentence"
    ),
    "frame of another size, once and for good": (
        "test_frame_checks.py::test_single_frame_of_another_size_is_skipped_and_two_change_the_size"
    ),
    "another detector than the geometry's": (
        "test_session.py::test_detector_of_another_size_ends_the_session_with_one_sentence"
    ),
    "stream of another bit depth": (
        f"{SCANS}::test_other_bit_depth_is_reported_and_waits_for_its_own_flats"
    ),
    "frames with NaN or infinity": (
        "test_frame_checks.py::test_frames_with_nan_are_reported_once_and_not_used"
    ),
    "frames of zeros": f"{SCANS}::test_frames_of_zeros_are_not_used",
    "flats of zeros, negative flats": (
        f"{SCANS}::test_dark_flats_are_reported_and_later_good_ones_are_used"
    ),
    "flat with pixels of zero": (f"{SCANS}::test_flat_with_a_dark_pixel_ends_with_one_sentence"),
    "angles that jump": "test_frame_checks.py::test_angle_jump_is_reported_and_the_frame_is_used",
    "angles that repeat or run backwards": (
        f"{SCANS}::test_backward_or_repeated_angles_are_used_as_stated"
    ),
    "frames twice and out of order": (
        f"{SCANS}::test_repeated_and_reordered_frames_give_the_same_slices"
    ),
    "missing or late frames": (
        "test_live_slices.py::test_missing_views_do_not_change_the_level_and_late_ones_are_added"
    ),
    "missing darks or flats": "test_session.py::test_state_names_the_missing_references",
    "missing flats, scan saved": (f"{CLI}::test_scan_without_flats_is_saved"),
    "late flats": "test_session.py::test_frames_wait_for_late_flats",
    "further flats during the scan": (
        f"{SCANS}::test_flats_during_the_scan_apply_from_there_and_all_are_stored"
    ),
    "darks and flats of a sender started again": (
        f"{SCANS}::test_darks_and_flats_of_a_restarted_sender_replace_the_earlier_ones"
    ),
    "geometry changed between scans of a stream": (
        f"{SCANS}::test_new_geometry_between_scans_is_used_with_its_scan"
    ),
    "settings changed between scans of a folder": (
        f"{SOURCES}::test_settings_of_the_next_scan_are_used_with_its_images"
    ),
    "file deleted while it is read": (
        f"{SOURCES}::test_file_deleted_while_reading_is_reported_and_the_next_ones_arrive"
    ),
    "incomplete image": (
        "test_folder.py::test_faults_of_files_are_reported_and_the_next_images_arrive"
    ),
    "image of another bit depth": f"{SOURCES}::test_images_of_another_bit_depth_are_not_used",
    "folder removed": "test_folder.py::test_removed_folder_is_waited_for",
    "folder without read permission": (f"{SOURCES}::test_folder_without_permission_is_waited_for"),
    "file in the place of the folder": (
        f"{SOURCES}::test_file_in_place_of_the_folder_is_reported_and_waited_for"
    ),
    "HDF5 closed without sharing": (
        "test_hdf5_source.py::test_frames_arrive_as_soon_as_they_can_be_read"
    ),
    "truncated HDF5": (f"{SOURCES}::test_truncated_hdf5_file_is_reported_and_used_once_complete"),
    "HDF5 replaced": "test_hdf5_source.py::test_unfinished_removed_or_replaced_file_is_waited_for",
    "HDF5 of another layout": (f"{SOURCES}::test_hdf5_file_of_another_layout_starts_a_new_scan"),
    "full disk while the scan is saved": (
        f"{CLI}::test_full_disk_loses_only_the_scan_and_gives_one_sentence"
    ),
    "scan larger than memory": f"{SCANS}::test_memory_is_limited_and_frames_beyond_it_are_reported",
    "scan without an end": (f"{SCANS}::test_endless_scan_is_stored_only_up_to_its_geometry"),
    "consumer slower than the sender": (
        "test_arrivals.py::test_oldest_projections_are_dropped_and_counted"
    ),
    "session closed while frames arrive": (
        f"{SCANS}::test_closing_during_a_scan_ends_the_session_and_stores_the_frames"
    ),
    "thread of the source fails": (
        "test_session.py::test_error_of_the_source_comes_after_earlier_frames"
    ),
    "thread of the slices fails": (
        f"{SCANS}::test_internal_error_of_the_slices_does_not_lose_the_scan"
    ),
}


def test_every_case_names_an_existing_test() -> None:
    assert len(CASES) >= 24
    assert len(set(CASES.values())) == len(CASES), "two cases name the same test"
    for case, place in CASES.items():
        file, name = place.split("::")
        tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in names, case
