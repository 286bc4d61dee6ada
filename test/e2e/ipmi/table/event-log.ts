import type { Topic } from './row.ts';

const CACHE = '--sdr-cache-directory=. --quiet-cache';

/** The system event log. It contains the effect of earlier rows on this machine: it was powered on. */
export const EVENT_LOG: Topic = {
  title: 'Event log',
  machine: 'quiet',
  rows: [
    {
      command: 'ipmitool $L sel info',
      covers: '0A/40',
      prints: [/^Version +: 1\.5/m, /^Entries +: [1-9]\d*$/m, /^Supported Cmds +: .*Delete.*Reserve/m],
    },
    { command: 'ipmitool $L sel list', covers: '0A/43', prints: /^ +1 \|(?:[^|\n]+\|){4}[^|\n]+$/m },
    { command: 'ipmitool $L sel elist', covers: '0A/43', prints: /^ +1 \|(?:[^|\n]+\|){4}[^|\n]+$/m },
    { command: 'ipmitool $L sel get 1', covers: '0A/43', prints: /^SEL Record ID +: 0001$/m },
    { command: 'ipmitool $L sel time get', covers: '0A/48', prints: /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d UTC$/m },
    {
      command: `ipmitool $L sel time set '01/02/26 03:04:05'`,
      covers: '0A/49',
      prints: '01/02/26 03:04:05 UTC\n',
    },
    { command: 'ipmitool $L sel time set now', covers: '0A/49', prints: / UTC$/m },
    {
      command: `printf '0x04 0x01 0x30 0x01 0x59 0x5f 0x5a # hot\\n' > events; ipmitool $L sel add events`,
      covers: '0A/44',
      prints: /Temperature/,
    },
    { command: 'ipmitool $L sel list last 1', covers: '0A/43', prints: /Temperature #0x30 \| Upper/ },
    {
      command: 'ipmitool $L event 1',
      covers: '04/02',
      prints: /^Sending SAMPLE event: Temperature - Upper Critical - Going High\n/,
    },
    {
      command: 'ipmitool $L sel list last 1',
      covers: '0A/43',
      prints: /Temperature #0x30 \| Upper Critical going high/,
    },
    { command: 'ipmitool $L sel delete 1', covers: '0A/46', prints: 'Deleted entry 1\n' },
    { command: 'ipmitool $L sel get 1', covers: '0A/43', exit: 1, complains: /^/, prints: /^/ },
    { command: `ipmi-sel $F ${CACHE}`, covers: '0A/43', prints: [/^ID +\| Date/, /Temperature +\| Upper Critical/] },
    { command: `ipmi-sel $F ${CACHE} --info`, covers: '0A/40', prints: /^Number of log entries +: \d+$/m },
    { command: 'bmc-device $F --get-sel-time', covers: '0A/48', prints: /^SEL Time +: / },
    { command: '$PYGHMI "get_event_log()"', covers: '0A/43', prints: /"timestamp": "/ },
    {
      command: 'ipmitool $L sel clear',
      covers: '0A/47',
      prints: 'Clearing SEL.  Please allow a few seconds to erase.\n',
    },
    // The clear is the first entry.
    { command: 'ipmitool $L sel list', covers: '0A/43', prints: /Event Logging Disabled .*Log area reset\/cleared/ },
    { command: `ipmi-sel $F ${CACHE} --clear`, covers: '0A/47' },
  ],
};
