import type { Machine, Sensor, SensorReading } from '../machine/index.ts';
import type { RedfishContext } from './context.ts';
import { dateTime, type JsonObject } from './json.ts';
import { roundedReading, SENSORS, UNITS } from './power-thermal.ts';
import { collection, type Resource, type Route } from './resource.ts';
import { link, TELEMETRY_SERVICE } from './uris.ts';

const DEFINITIONS = `${TELEMETRY_SERVICE}/MetricDefinitions`;
const REPORT_DEFINITIONS = `${TELEMETRY_SERVICE}/MetricReportDefinitions`;
const REPORTS = `${TELEMETRY_SERVICE}/MetricReports`;
/** ID of the only report. */
const REPORT = 'Sensors';

/** The numeric sensors as metrics, and one report with all of them, made at each request. */
export function telemetryRoutes({ options }: RedfishContext): Route[] {
  const { machine, time } = options;
  const definitions = (): { uri: string; resource: Resource }[] =>
    metricsOf(machine).map((metric) => ({ uri: `${DEFINITIONS}/${metric.id}`, resource: definitionOf(metric) }));
  const single = (at: string, schema: string, name: string, find: () => Resource): Route[] => [
    { path: at, find: () => collection(schema, name, () => [{ uri: `${at}/${REPORT}`, resource: find() }]) },
    { path: `${at}/${REPORT}`, find },
  ];
  return [
    { path: TELEMETRY_SERVICE, find: () => SERVICE },
    { path: DEFINITIONS, find: () => collection('MetricDefinitionCollection', 'Metric definitions', definitions) },
    {
      path: `${DEFINITIONS}/{metric}`,
      find: ({ metric = '' }) => definitions().find(({ uri }) => uri === `${DEFINITIONS}/${metric}`)?.resource,
    },
    ...single(REPORT_DEFINITIONS, 'MetricReportDefinitionCollection', 'Metric report definitions', () =>
      reportDefinition(machine),
    ),
    ...single(REPORTS, 'MetricReportCollection', 'Metric reports', () => report(machine, time)),
  ];
}

const SERVICE: Resource = {
  type: 'TelemetryService.v1_4_1.TelemetryService',
  read: () => ({
    Id: 'TelemetryService',
    Name: 'Telemetry Service',
    ServiceEnabled: true,
    Status: { State: 'Enabled', Health: 'OK' },
    MaxReports: 1,
    MetricDefinitions: link(DEFINITIONS),
    MetricReportDefinitions: link(REPORT_DEFINITIONS),
    MetricReports: link(REPORTS),
  }),
};

interface Metric {
  /** `CPUUsed` */
  readonly id: string;
  readonly sensor: Sensor;
  readonly reading: SensorReading & { kind: 'Number' };
  /** Pointer to the property with its value. */
  readonly property: string;
}

function metricsOf(machine: Machine): Metric[] {
  return machine.sensors().flatMap((sensor) => {
    const { name, number, reading } = sensor;
    if (reading.kind !== 'Number') return [];
    return [{ id: name.replaceAll(' ', ''), sensor, reading, property: `${SENSORS}/${number}#/Reading` }];
  });
}

function definitionOf({ id, sensor, reading: { unit, min, max }, property }: Metric): Resource {
  return {
    type: 'MetricDefinition.v1_3_5.MetricDefinition',
    read: () => ({
      Id: id,
      Name: sensor.name,
      Description: `Reported by ${sensor.source}`,
      MetricType: 'Gauge',
      MetricDataType: 'Decimal',
      Units: UNITS[unit],
      MinReadingRange: min,
      MaxReadingRange: max,
      IsLinear: true,
      MetricProperties: [property],
    }),
  };
}

function reportDefinition(machine: Machine): Resource {
  return {
    type: 'MetricReportDefinition.v1_4_7.MetricReportDefinition',
    read: () => ({
      Id: REPORT,
      Name: 'All sensors, at each request',
      MetricReportDefinitionEnabled: true,
      MetricReportDefinitionType: 'OnRequest',
      ReportActions: ['LogToMetricReportsCollection'],
      ReportUpdates: 'Overwrite',
      MetricProperties: metricsOf(machine).map(({ property }) => property),
      MetricReport: link(`${REPORTS}/${REPORT}`),
      Status: { State: 'Enabled', Health: 'OK' },
    }),
  };
}

/** Without the metrics that have no value now. @param time ms since 1970 */
function report(machine: Machine, time: () => number): Resource {
  return {
    type: 'MetricReport.v1_5_2.MetricReport',
    isVolatile: true,
    read: () => ({
      Id: REPORT,
      Name: 'All sensors',
      Timestamp: dateTime(time()),
      MetricReportDefinition: link(`${REPORT_DEFINITIONS}/${REPORT}`),
      // Their times are not known: a measurement of the metrics service is up to 90 s old.
      MetricValues: metricsOf(machine).flatMap(({ id, reading: { value }, property }): JsonObject[] =>
        value === undefined
          ? []
          : [{ MetricId: id, MetricValue: String(roundedReading(value)), MetricProperty: property }],
      ),
    }),
  };
}
