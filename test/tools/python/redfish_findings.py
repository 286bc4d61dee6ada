"""Prints what DMTF's service or interop validator found in a service, WARN and FAIL, as JSON, from the workbook below a folder.

redfish_findings.py <folder>
"""

import json
import pathlib
import sys

import openpyxl

findings = []
for path in pathlib.Path(sys.argv[1]).rglob('*.xlsx'):
    for row in openpyxl.load_workbook(path, read_only=True)['Results'].iter_rows(values_only=True):
        cells = ['' if cell is None else str(cell) for cell in row]
        result = next((cell for cell in cells if cell in ('WARN', 'FAIL')), None)
        if result is not None:
            at = cells.index(result)
            what = ' '.join([cells[1], cells[at - 2]])
            findings.append({'result': result, 'what': what, 'message': cells[at + 1]})
print(json.dumps(findings))
