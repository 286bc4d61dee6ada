import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError, type SensorUnit } from '../machine/index.ts';
import { chassisRoutes } from './chassis.ts';
import type { JsonObject } from './json.ts';
import { CALLER, FakeBmc, payloadAt } from './testing/index.ts';

let bmc: FakeBmc;

beforeEach(() => {
  bmc = new FakeBmc();
});

const CHASSIS = '/redfish/v1/Chassis/1';
const LEGACY = [`${CHASSIS}/Power`, `${CHASSIS}/Thermal`];

function addSensors(): void {
  const amount = (number: number, name: string, unit: SensorUnit, value: number | undefined) => ({
    number,
    name,
    source: 'the metrics service',
    reading: { kind: 'Number' as const, unit, min: 0, max: 100, value },
  });
  bmc.machine.readings = [
    {
      number: 1,
      name: 'Power State',
      source: 'the machine',
      reading: { kind: 'States', type: 34, possible: [0], states: [0] },
    },
    amount(6, 'CPU Used', 'Percent', 12.3456),
    amount(7, 'Memory Used', 'MiB', undefined),
  ];
}

function patchOf() {
  return chassisRoutes(bmc.context)
    .find(({ path }) => path === CHASSIS)
    ?.find({})?.patch;
}

async function change(changes: JsonObject): Promise<JsonObject | undefined> {
  await patchOf()?.apply(changes, CALLER);
  return payloadAt(chassisRoutes(bmc.context), CHASSIS);
}

describe('Chassis/1', () => {
  it('shows the machine’s data and omits what does not exist', async () => {
    bmc.machine.parts = { ...bmc.machine.parts, model: 'u1.medium', serial: 'S-1', assetTag: 'rack 7' };

    expect(await payloadAt(chassisRoutes(bmc.context), CHASSIS)).toMatchObject({
      ChassisType: 'Other',
      Manufacturer: 'Example',
      Model: 'u1.medium',
      SerialNumber: 'S-1',
      AssetTag: 'rack 7',
      UUID: '5d307ca9-b3ef-428c-8861-06e72d69f223',
      PowerState: 'Off',
      SKU: null,
      PartNumber: null,
      Status: { State: 'Enabled', Health: 'OK' },
      Links: { ComputerSystems: [{ '@odata.id': '/redfish/v1/Systems/1' }] },
    });
  });

  it('waits for a fresh power state', async () => {
    bmc.machine.refresh = () => {
      bmc.machine.state = 'Paused';
      return Promise.resolve();
    };

    expect(await payloadAt(chassisRoutes(bmc.context), CHASSIS)).toMatchObject({ PowerState: 'Paused' });
  });

  it('reports a state that is not known', async () => {
    bmc.machine.stateError = new MachineError('Unavailable', 'the API does not answer');

    expect(await payloadAt(chassisRoutes(bmc.context), CHASSIS)).toMatchObject({
      PowerState: null,
      Model: null,
      SerialNumber: null,
      AssetTag: null,
      Status: { State: 'UnavailableOffline', Health: 'Warning' },
    });
  });

  it('does not hide program errors', async () => {
    bmc.machine.powerState = () => {
      throw new TypeError('a mistake');
    };

    await expect(payloadAt(chassisRoutes(bmc.context), CHASSIS)).rejects.toThrow('a mistake');
  });

  it('stores an asset tag and the indicator', async () => {
    expect(await change({ AssetTag: 'row 3', LocationIndicatorActive: true })).toMatchObject({
      AssetTag: 'row 3',
      LocationIndicatorActive: true,
    });
    expect(bmc.audited).toEqual(['Chassis: AssetTag, LocationIndicatorActive changed']);
  });

  it('shows the indicator to older clients by its deprecated name', async () => {
    bmc.legacyProperties = true;
    expect(await change({})).toMatchObject({ IndicatorLED: 'Off' });
    expect(await change({ IndicatorLED: 'Lit' })).toMatchObject({
      IndicatorLED: 'Lit',
      LocationIndicatorActive: true,
    });
  });
});

describe('Sensors', () => {
  it('are the numeric sensors of the machine', async () => {
    addSensors();
    const routes = chassisRoutes(bmc.context);

    expect(await payloadAt(routes, `${CHASSIS}/Sensors`)).toMatchObject({
      Members: [{ '@odata.id': `${CHASSIS}/Sensors/6` }, { '@odata.id': `${CHASSIS}/Sensors/7` }],
    });
    expect(await payloadAt(routes, `${CHASSIS}/Sensors/1`)).toBeUndefined();
  });

  it('have reading, units and range', async () => {
    addSensors();
    expect(await payloadAt(chassisRoutes(bmc.context), `${CHASSIS}/Sensors/6`)).toMatchObject({
      Name: 'CPU Used',
      ReadingType: 'Percent',
      Reading: 12.35,
      ReadingUnits: '%',
      ReadingRangeMin: 0,
      ReadingRangeMax: 100,
      Status: { State: 'Enabled', Health: 'OK' },
    });
  });

  it('have no reading if none is available', async () => {
    addSensors();
    const sensor = await payloadAt(chassisRoutes(bmc.context), `${CHASSIS}/Sensors/7`);

    expect(sensor).toMatchObject({ Reading: null, ReadingUnits: 'MiBy', Status: { State: 'UnavailableOffline' } });
    expect(sensor).not.toHaveProperty('ReadingType');
  });
});

it('ThermalMetrics has no excerpts of sensors that do not exist: they were null, where clients expect objects', async () => {
  const metrics = await payloadAt(chassisRoutes(bmc.context), `${CHASSIS}/ThermalSubsystem/ThermalMetrics`);
  expect(metrics).not.toHaveProperty('TemperatureSummaryCelsius');
});

describe('Power and Thermal', () => {
  it('exist for older clients only, without readings', async () => {
    const routes = chassisRoutes(bmc.context);
    for (const uri of LEGACY) expect(await payloadAt(routes, uri)).toBeUndefined();
    expect(await payloadAt(routes, CHASSIS)).not.toHaveProperty('Power');

    bmc.legacyProperties = true;
    expect(await payloadAt(routes, CHASSIS)).toMatchObject({ Power: { '@odata.id': `${CHASSIS}/Power` } });
    expect(await payloadAt(routes, `${CHASSIS}/Power`)).toMatchObject({
      PowerControl: [{ PowerConsumedWatts: null, Status: { State: 'Absent' } }],
      PowerSupplies: [],
    });
    expect(await payloadAt(routes, `${CHASSIS}/Thermal`)).toMatchObject({
      Temperatures: ['CPU', 'Intake', 'SystemBoard'].map((PhysicalContext) => ({
        PhysicalContext,
        ReadingCelsius: null,
        Status: { State: 'Absent' },
      })),
      Fans: [],
    });
  });
});
