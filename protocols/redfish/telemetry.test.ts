import { beforeEach, expect, it } from 'vitest';
import { telemetryRoutes } from './telemetry.ts';
import { FakeBmc, payloadAt } from './testing/index.ts';

const TELEMETRY = '/redfish/v1/TelemetryService';

let bmc: FakeBmc;

beforeEach(() => {
  bmc = new FakeBmc();
  bmc.machine.readings = [
    {
      ...{ number: 1, name: 'Power State', source: 'the machine' },
      reading: { kind: 'States', type: 34, possible: [0], states: [0] },
    },
    {
      ...{ number: 6, name: 'CPU Used', source: 'the metrics service' },
      reading: { kind: 'Number', unit: 'Percent', min: 0, max: 100, value: 12.3456 },
    },
    {
      ...{ number: 7, name: 'Memory Used', source: 'the metrics service' },
      reading: { kind: 'Number', unit: 'MiB', min: 0, max: 1024, value: undefined },
    },
  ];
});

it('defines a metric for each numeric sensor', async () => {
  const routes = telemetryRoutes(bmc.context);
  expect(await payloadAt(routes, `${TELEMETRY}/MetricDefinitions`)).toMatchObject({
    Members: ['CPUUsed', 'MemoryUsed'].map((id) => ({ '@odata.id': `${TELEMETRY}/MetricDefinitions/${id}` })),
  });
  expect(await payloadAt(routes, `${TELEMETRY}/MetricDefinitions/CPUUsed`)).toMatchObject({
    Units: '%',
    MaxReadingRange: 100,
    MetricProperties: ['/redfish/v1/Chassis/1/Sensors/6#/Reading'],
  });
  expect(await payloadAt(routes, `${TELEMETRY}/MetricDefinitions/PowerState`)).toBeUndefined();
});

it('reports all metrics that have a value', async () => {
  const routes = telemetryRoutes(bmc.context);
  expect(await payloadAt(routes, `${TELEMETRY}/MetricReportDefinitions/Sensors`)).toMatchObject({
    MetricReportDefinitionType: 'OnRequest',
    MetricReport: { '@odata.id': `${TELEMETRY}/MetricReports/Sensors` },
  });
  const report = await payloadAt(routes, `${TELEMETRY}/MetricReports/Sensors`);
  expect(report).not.toHaveProperty(['@odata.etag']);
  expect(report).toMatchObject({
    Timestamp: '2026-11-22T01:02:03Z',
    MetricValues: [
      { MetricId: 'CPUUsed', MetricValue: '12.35', MetricProperty: '/redfish/v1/Chassis/1/Sensors/6#/Reading' },
    ],
  });
});
