"""The faults of a running scan, counted: each with the test that makes it happen."""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
CLI = "../../cli/live/test_live_reconstruct.py"
SCANS, SOURCES = "test_faults_of_scans.py", "test_faults_of_sources.py"
CASES = {
    "sender killed and started again": (
        "test_stream.py::test_a_sender_that_is_killed_comes_back_and_begins_anew"
    ),
    "sender killed in mid-message": (
        f"{SOURCES}::test_a_sender_killed_in_mid_message_leaves_no_half_frame"
    ),
    "sender that never comes": (
        f"{SCANS}::test_a_sender_that_never_sends_is_waited_for_and_can_be_left"
    ),
    "header without shape, of a wrong type, too large": (
        "test_stream.py::test_what_is_not_in_the_form_is_refused_in_a_sentence"
    ),
    "frame of another size, once and for good": (
        "test_frame_checks.py::test_one_frame_of_another_size_is_not_used_and_two_change_the_size"
    ),
    "another detector than the geometry's": (
        "test_session.py::test_a_detector_of_another_size_ends_it_with_a_sentence"
    ),
    "stream of other bits": (
        f"{SCANS}::test_a_detector_of_other_bits_is_said_and_waits_for_its_own_flats"
    ),
    "frames with NaN or infinity": (
        "test_frame_checks.py::test_frames_without_numbers_are_told_once_and_not_used"
    ),
    "frames of zeros": f"{SCANS}::test_frames_of_zeros_are_not_in_the_slices",
    "flats of zeros, negative flats": (
        f"{SCANS}::test_flats_without_light_are_said_and_good_ones_that_come_later_are_used"
    ),
    "flat with pixels of zero": (
        f"{SCANS}::test_a_flat_with_a_pixel_without_light_is_one_sentence_and_ends"
    ),
    "angles that jump": "test_frame_checks.py::test_an_angle_that_jumps_is_told_and_used",
    "angles that repeat or run backwards": (
        f"{SCANS}::test_angles_that_run_backwards_or_are_said_twice_are_where_they_say"
    ),
    "frames twice and out of order": (
        f"{SCANS}::test_frames_twice_and_out_of_order_have_the_slices_of_those_in_order"
    ),
    "frames that are missing, or late": (
        "test_live_slices.py::test_missing_views_leave_the_level_and_late_ones_come_in"
    ),
    "darks or flats that never come": "test_session.py::test_the_state_says_what_is_waited_for",
    "flats that never come, the scan kept": (f"{CLI}::test_scan_without_flats_is_saved"),
    "flats that come late": "test_session.py::test_frames_wait_for_flats_that_come_late",
    "flats again in mid-scan": (
        f"{SCANS}::test_flats_that_come_again_in_mid_scan_hold_from_there_and_all_are_kept"
    ),
    "darks and flats of a sender started again": (
        f"{SCANS}::test_darks_and_flats_of_a_sender_that_was_restarted_replace_those_before"
    ),
    "geometry changed between scans of a stream": (
        f"{SCANS}::test_another_geometry_from_one_scan_to_the_next_is_taken_with_the_scan"
    ),
    "settings changed between scans of a folder": (
        f"{SOURCES}::test_settings_of_the_next_scan_are_taken_with_its_images"
    ),
    "file deleted while it is read": (
        f"{SOURCES}::test_a_file_deleted_while_it_is_read_is_said_and_the_next_ones_come"
    ),
    "image half written for ever": (
        "test_folder.py::test_faults_of_files_are_said_and_the_next_images_come"
    ),
    "image of another bit depth": f"{SOURCES}::test_images_of_another_bit_depth_are_no_light",
    "folder removed": "test_folder.py::test_a_folder_that_goes_is_waited_for",
    "folder that may not be listed": (
        f"{SOURCES}::test_a_folder_whose_permission_is_taken_is_waited_for"
    ),
    "file in the place of the folder": (
        f"{SOURCES}::test_a_file_in_the_place_of_the_folder_is_said_and_waited_for"
    ),
    "HDF5 closed without sharing": (
        "test_hdf5_source.py::test_frames_come_while_or_when_they_can_be_read"
    ),
    "HDF5 cut off": (
        f"{SOURCES}::test_an_hdf5_file_that_is_cut_off_is_said_and_goes_on_when_it_is_whole"
    ),
    "HDF5 replaced": "test_hdf5_source.py::test_a_file_that_is_not_one_yet_goes_or_is_begun_anew",
    "HDF5 of another layout": (
        f"{SOURCES}::test_an_hdf5_file_of_another_layout_in_the_same_place_begins_anew"
    ),
    "full disk while the scan is kept": (
        f"{CLI}::test_full_disk_loses_only_the_scan_and_gives_one_sentence"
    ),
    "scan larger than memory": f"{SCANS}::test_memory_is_bounded_and_frames_beyond_it_are_said",
    "scan without an end": (
        f"{SCANS}::test_a_scan_that_goes_on_for_ever_is_kept_no_further_than_its_geometry"
    ),
    "consumer slower than the sender": (
        "test_arrivals.py::test_oldest_projections_go_and_are_counted"
    ),
    "session closed while frames come": (
        f"{SCANS}::test_a_session_that_is_closed_while_frames_come_ends_and_keeps_what_came"
    ),
    "thread of the source fails": (
        "test_session.py::test_a_fault_of_the_source_comes_after_all_before_it"
    ),
    "thread of the slices fails": (
        f"{SCANS}::test_slices_that_fail_for_a_reason_of_ours_do_not_lose_the_scan"
    ),
}


def test_every_case_has_its_test_and_there_are_enough() -> None:
    assert len(CASES) >= 24
    assert len(set(CASES.values())) == len(CASES), "each has one of its own"
    for case, place in CASES.items():
        file, name = place.split("::")
        tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in names, case
