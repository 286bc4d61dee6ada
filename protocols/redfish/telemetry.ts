import type { Machine } from '../machine/index.ts';
import type { RedfishContext } from './context.ts';
import { dateTime, type JsonObject } from './json.ts';
import type { Resource, Route } from './resource.ts';
import { numericSensors, type NumericSensor, roundedReading, SENSORS, UNITS } from './sensors.ts';
import { partRoutes, singleRoutes, WELL } from './system/part.ts';
import { link, TELEMETRY_SERVICE } from './uris.ts';

const DEFINITIONS = `${TELEMETRY_SERVICE}/MetricDefinitions`;
const REPORT_DEFINITIONS = `${TELEMETRY_SERVICE}/MetricReportDefinitions`;
const REPORTS = `${TELEMETRY_SERVICE}/MetricReports`;
/** ID of the only report. */
const REPORT = 'Sensors';

/** The numeric sensors as metrics, and one report with all of them, made at each request. */
export function telemetryRoutes({ options }: RedfishContext): Route[] {
  const { machine, time } = options;
  return [
    { path: TELEMETRY_SERVICE, find: () => SERVICE },
    ...partRoutes(DEFINITIONS, 'MetricDefinitionCollection', 'Metric definitions', () =>
      numericSensors(machine).map((sensor) => ({ id: metricId(sensor), resource: definitionOf(sensor) })),
    ),
    ...singleRoutes(
      REPORT_DEFINITIONS,
      'MetricReportDefinitionCollection',
      'Metric report definitions',
      () => reportDefinition(machine),
      REPORT,
    ),
    ...singleRoutes(REPORTS, 'MetricReportCollection', 'Metric reports', () => report(machine, time), REPORT),
  ];
}

const SERVICE: Resource = {
  type: 'TelemetryService.v1_4_1.TelemetryService',
  read: () => ({
    Id: 'TelemetryService',
    Name: 'Telemetry Service',
    ServiceEnabled: true,
    Status: WELL,
    MaxReports: 1,
    MetricDefinitions: link(DEFINITIONS),
    MetricReportDefinitions: link(REPORT_DEFINITIONS),
    MetricReports: link(REPORTS),
  }),
};

/** `CPUUsed` */
function metricId({ name }: NumericSensor): string {
  return name.replaceAll(' ', '');
}

/** Pointer to the property with the value. */
function propertyOf({ number }: NumericSensor): string {
  return `${SENSORS}/${number}#/Reading`;
}

function definitionOf(sensor: NumericSensor): Resource {
  const { name, source, reading } = sensor;
  const { unit, min, max } = reading;
  return {
    type: 'MetricDefinition.v1_3_5.MetricDefinition',
    read: () => ({
      Id: metricId(sensor),
      Name: name,
      Description: `Reported by ${source}`,
      MetricType: 'Gauge',
      MetricDataType: 'Decimal',
      Units: UNITS[unit],
      MinReadingRange: min,
      MaxReadingRange: max,
      IsLinear: true,
      MetricProperties: [propertyOf(sensor)],
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
      MetricProperties: numericSensors(machine).map(propertyOf),
      MetricReport: link(`${REPORTS}/${REPORT}`),
      Status: WELL,
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
      MetricValues: numericSensors(machine).flatMap((sensor): JsonObject[] => {
        const { value } = sensor.reading;
        if (value === undefined) return [];
        const MetricValue = String(roundedReading(value));
        return [{ MetricId: metricId(sensor), MetricValue, MetricProperty: propertyOf(sensor) }];
      }),
    }),
  };
}
