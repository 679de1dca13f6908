#!/usr/bin/env python3
"""The checker of layers, checked: each planted violation is found, and what is allowed passes."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_layers


def plant(folder, files):
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


class LayersTest(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as folder:
            plant(folder, files)
            return check_layers.violations(Path(folder))

    def assert_refused(self, path, text, why):
        found = self.violations({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:1: "), found)
        self.assertIn(why, found[0])

    def assert_allowed(self, path, text, **others):
        self.assertEqual(self.violations({path: text, **others}), [])

    def test_a_room_includes_itself_and_lower_rooms(self):
        self.assert_allowed("support/a.h", '#include "support/b.h"')
        self.assert_allowed("trace/a.h", '#include "support/b.h"\n#include <vector>')
        self.assert_allowed("symexec/a.cpp", '#include "trace/b.h"\n#include "support/b.h"')
        self.assert_allowed("search/a.cpp", '#include "replay/b.h"\n#include "constraints/b.h"')
        self.assert_allowed("dsp/a.cpp", '#include "search/b.h"\n#include "symexec/b.h"')
        self.assert_allowed("cli/main.cpp", '#include "viz/b.h"\n#include "symexec/b.h"\n#include <CLI/CLI.hpp>')

    def test_never_a_higher_room(self):
        rooms = ["support", "trace", "replay", "search", "dsp", "breakpoints", "viz", "cli"]
        for lower, higher in [(a, b) for i, a in enumerate(rooms) for b in rooms[i + 1:]]:
            self.assert_refused(f"{lower}/a.cpp", f'#include "{higher}/b.h"', f"{higher} is not below {lower}")
        self.assert_refused("trace/a.h", "#include <viz/b.h>", "viz is not below trace")

    def test_never_sideways(self):
        rooms = ["profiler", "symexec", "constraints", "replay"]
        for one, other in [(a, b) for a in rooms for b in rooms if a != b]:
            self.assert_refused(f"{one}/a.cpp", f'#include "{other}/b.h"', f"{other} is not below {one}")

    def test_rooms_do_not_include_tests(self):
        self.assert_refused("dsp/a.cpp", '#include "tests/trace_builder.h"', 'write "room/file.h"')

    def test_never_upwards(self):
        self.assert_refused("viz/a.cpp", '#include "../trace/event.h"', "from the root of the tree")
        self.assert_refused("tests/viz/a.cpp", '#include "../trace_builder.h"', "from the root of the tree")
        self.assert_refused("viz/a.cpp", '#include "viz/../trace/event.h"', "from the root of the tree")

    def test_z3_lives_in_constraints(self):
        for header in ["<z3.h>", "<z3++.h>", '"z3_api.h"']:
            self.assert_allowed("constraints/a.cpp", f"#include {header}")
            self.assert_allowed("tests/constraints/a.cpp", f"#include {header}")
            self.assert_refused("dsp/a.cpp", f"#include {header}", "includes Z3")
            self.assert_refused("tests/dsp/a.cpp", f"#include {header}", "includes Z3")

    def test_llvm_lives_in_the_pass_and_in_symexec(self):
        header = '#include "llvm/IR/Module.h"'
        self.assert_allowed("profiler/pass/a.cpp", header)
        self.assert_allowed("symexec/a.cpp", header)
        self.assert_allowed("tests/symexec/a.cpp", "#include <llvm/IR/Module.h>")
        self.assert_refused("profiler/driver/a.cpp", header, "includes LLVM")
        self.assert_refused("profiler/runtime/a.cpp", header, "includes LLVM")
        self.assert_refused("cli/a.cpp", "#include <llvm-c/Core.h>", "includes LLVM")

    def test_graphviz_lives_in_viz(self):
        self.assert_allowed("viz/a.cpp", "#include <graphviz/gvc.h>")
        self.assert_refused("cli/a.cpp", "#include <graphviz/cgraph.h>", "includes Graphviz")
        self.assert_refused("dsp/a.cpp", "#include <gvc.h>", "includes Graphviz")

    def test_guests_use_c_headers_only(self):
        for path in ["profiler/runtime/a.cpp", *check_layers.GUESTS[1:]]:
            self.assert_allowed(path, '#include "trace/event_kind.h"\n#include <stdint.h>\n#include <sys/mman.h>')
            for header in ["cstdint", "atomic", "string", "cxxabi.h"]:
                self.assert_refused(path, f"#include <{header}>", "C headers only")
            self.assert_refused(path, '#include "trace/event.h"', "does not live in the user's program")
            self.assert_refused(path, '#include "support/result.h"', "does not live in the user's program")
        self.assert_allowed("trace/event.h", "#include <cstdint>")

    def test_neighbours_may_be_named_shortly(self):
        self.assert_allowed("profiler/runtime/a.cpp", '#include "runtime.h"', **{"profiler/runtime/runtime.h": ""})
        self.assert_refused("profiler/runtime/a.cpp", '#include "absent.h"', "does not live in the user's program")
        self.assert_refused("dsp/a.cpp", '#include "absent.h"', 'write "room/file.h"')

    def test_only_real_includes_count(self):
        self.assert_allowed("support/a.h", '// #include "cli/a.h"\n/* \n#include "cli/a.h"\n*/')
        self.assert_allowed("tests/cli/a.cpp", 'auto program = R"c(\n#include "../x.h"\n)c";')
        self.assert_refused("support/a.h", '  #  include   "cli/a.h" // why', "cli is not below support")
        self.assert_refused("support/a.h", "#include SOMETHING", "through a macro")

    def test_a_type_is_defined_once(self):
        one, other = "struct Region {\n  int a;\n};", "class Region : Base {\n};"
        found = self.violations({"dsp/a.h": one, "constraints/b.h": "\n" + other})
        self.assertEqual(found, ["dsp/a.h:1: Region is also defined at constraints/b.h:2"])
        self.assert_allowed("dsp/a.h", one, **{"constraints/b.h": "class Region;", "viz/c.cpp": other,
                                               "profiler/runtime/d.h": other})

    def test_the_line_is_right(self):
        found = self.violations({"trace/a.h": '/* two\nlines */\n#include <vector>\n#include "dsp/b.h"'})
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("trace/a.h:4: "), found)

    def run_on(self, files):
        """Exit code and output of the script on a tree of these files."""
        with tempfile.TemporaryDirectory() as folder:
            plant(folder, files)
            run = subprocess.run([sys.executable, check_layers.__file__, folder], capture_output=True, text=True,
                                 check=False)
            return run.returncode, run.stdout + run.stderr

    def test_the_exit_code_tells(self):
        self.assertEqual(self.run_on({"trace/a.h": '#include "support/b.h"'}), (0, "1 files, 0 violations\n"))
        code, output = self.run_on({"trace/a.h": '#include "dsp/b.h"'})
        self.assertEqual(code, 1)
        self.assertIn("trace/a.h:1: ", output)

    def test_an_empty_tree_is_an_error(self):
        code, output = self.run_on({"README.md": ""})
        self.assertEqual(code, 1)
        self.assertIn("no sources", output)


if __name__ == "__main__":
    unittest.main()
