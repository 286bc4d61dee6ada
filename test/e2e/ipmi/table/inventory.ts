import type { Topic } from './row.ts';

const CACHE = '--sdr-cache-directory=. --quiet-cache';

/** Sensors, their records, and the inventory of the machine. */
export const INVENTORY: Topic = {
  title: 'Sensors and inventory',
  machine: 'quiet',
  rows: [
    { command: 'ipmitool $L sdr info', covers: '0A/20', prints: [/^SDR Version +: 0x51$/m, /^Record Count +: [1-9]/m] },
    { command: 'ipmitool $L raw 0x0a 0x28', covers: '0A/28', prints: /^( [0-9a-f]{2}){4}\n$/ },
    { command: 'ipmitool $L sdr list', covers: '0A/23', prints: /^[^|\n]+\| [^|\n]+\| (ok|ns)/m },
    { command: 'ipmitool $L sdr elist', covers: '04/2D', prints: /^[^|\n]+\| [0-9A-F]{2}h \| (ok|ns)/m },
    { command: 'ipmitool $L sdr elist all', covers: '0A/23', prints: /^[^|\n]+\| [0-9A-F]{2}h \| /m },
    { command: 'ipmitool $L sensor list', covers: '04/27', prints: /^([^|\n]+\|){9}[^|\n]+$/m },
    { command: `ipmitool $L sensor get 'Power State'`, covers: '04/2D', prints: /S0\/G0: working/ },
    { command: `ipmitool $L sensor get 'CPU Used'`, covers: '04/2D', exit: 1, prints: /Unable to read sensor/ },
    { command: `ipmi-sensors $F ${CACHE}`, covers: '04/2D', prints: [/^ID +\| Name/, /^\d+ +\| /m] },
    // A cache of the records is valid while their timestamps do not change.
    { command: `ipmi-sensors $F ${CACHE}`, covers: '0A/20', prints: [/^ID +\| Name/, /^\d+ +\| /m] },
    { command: '$PYGHMI "get_sensor_data()"', covers: '04/2D', prints: /"name": "/ },
    { command: '$PYGHMI "get_health()"', covers: '04/2D', prints: /"health"/ },
    {
      command: 'ipmitool $L fru print 0',
      covers: '0A/11',
      prints: [/^ Product Manufacturer +: \S/m, /^ Product Name +: \S/m],
    },
    { command: 'ipmitool $L fru print 9', covers: '0A/10', exit: 1, complains: /^/, prints: /not present/ },
    { command: `ipmi-fru $F ${CACHE}`, covers: '0A/11', prints: /FRU Product Manufacturer Name: \S/ },
    { command: '$PYGHMI "get_inventory()"', covers: '0A/11', prints: /"System"/ },
    { command: 'ipmitool $L dcmi discover', covers: '2C/01', prints: /Supported DCMI capabilities/i },
    { command: 'ipmitool $L dcmi power reading', covers: '2C/02', prints: /deactivated/ },
    {
      command: 'ipmi-dcmi $F --get-system-power-statistics',
      covers: '2C/02',
      prints: /^Power Measurement +: Not Available$/m,
    },
    { command: 'ipmitool $L dcmi get_temp_reading', covers: '2C/10', prints: /^\n\tEntity ID[^\n]*\n$/ },
    { command: 'ipmitool $L dcmi set_asset_tag rack1', covers: '2C/08', prints: /rack1/ },
    { command: 'ipmi-dcmi $F --get-asset-tag', covers: '2C/06', prints: 'rack1\n' },
    { command: '$PYGHMI "get_asset_tag()"', covers: '2C/06', prints: '"rack1"\n' },
    {
      command: 'ipmi-dcmi $F --get-dcmi-capability-info',
      covers: '2C/01',
      prints: /DCMI Specification Conformance|Identification Support/,
    },
    {
      command: 'ipmi-dcmi $F --get-management-controller-identifier-string',
      covers: '2C/09',
      prints: /\S/,
    },
  ],
};
