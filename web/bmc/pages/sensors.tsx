import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Card } from '../../common/card.tsx';
import { Spark } from '../../common/spark.tsx';
import { Empty, Failure, Loading } from '../../common/states.tsx';
import { useResource } from '../redfish/bmc-context.ts';
import type { Collection, Sensor } from '../redfish/resources.ts';
import { SENSORS } from '../redfish/uris.ts';

/** ms between two readings. */
const EVERY = 5_000;
/** Readings of a plot: five minutes. */
const SIZE = 60;

export function Sensors(): JSX.Element {
  const { body, problem, refresh } = useResource<Collection<Sensor>>(SENSORS, { every: EVERY });
  const readings = useReadings(body);
  return (
    <>
      <p class="quiet">The plots show the readings since this page was opened, at most the last five minutes.</p>
      {problem !== undefined && <Failure trouble={problem} retry={() => void refresh()} />}
      {body === undefined && problem === undefined && <Loading what="sensors" />}
      {body?.Members.length === 0 && <Empty icon="gauge" title="The machine has no sensors" />}
      <div class="cards sensors">
        {body?.Members.map((sensor) => (
          <SensorCard key={sensor.Id} sensor={sensor} values={readings.get(sensor.Id) ?? []} />
        ))}
      </div>
    </>
  );
}

/** The last readings by sensor. One is added with each answer of the BMC. */
function useReadings(body: Collection<Sensor> | undefined): ReadonlyMap<string, readonly (number | null)[]> {
  const readings = useRef(new Map<string, (number | null)[]>());
  const last = useRef<Collection<Sensor>>(undefined);
  if (body !== undefined && body !== last.current) {
    last.current = body;
    for (const { Id, Reading } of body.Members) {
      const values = readings.current.get(Id) ?? [];
      readings.current.set(Id, [...values.slice(1 - SIZE), Reading]);
    }
  }
  useEffect(() => {
    const all = readings.current;
    return () => {
      all.clear();
    };
  }, []);
  return readings.current;
}

const UNITS: Readonly<Record<string, string>> = { '{Count}': '', MiBy: 'MiB', Cel: '°C' };
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

function SensorCard({ sensor, values }: { sensor: Sensor; values: readonly (number | null)[] }): JSX.Element {
  const { Name, Description, Status, Reading, ReadingUnits = '', ReadingRangeMin, ReadingRangeMax } = sensor;
  const unit = UNITS[ReadingUnits] ?? ReadingUnits;
  const isAbsent = Reading === null;
  const most = Math.max(...values.map((value) => value ?? 0), 1);
  const text = isAbsent ? 'no reading' : `${NUMBER.format(Reading)} ${unit}`.trim();
  return (
    <Card title={Name} aside={<SensorBadge status={Status} isAbsent={isAbsent} />}>
      <p class="reading">
        <strong>{isAbsent ? '–' : NUMBER.format(Reading)}</strong>
        <span class="quiet">{isAbsent ? 'no reading' : unit}</span>
      </p>
      <Spark
        values={values}
        size={SIZE}
        min={ReadingRangeMin ?? 0}
        max={rangeOf(ReadingUnits, ReadingRangeMax, most)}
        label={`${Name}: ${text}`}
      />
      <p class="quiet small">{Description}</p>
    </Card>
  );
}

/** A count has a range that is much too wide to see anything. */
function rangeOf(unit: string, max: number | null | undefined, most: number): number {
  return unit === '{Count}' || max == null ? most * 1.3 : max;
}

function SensorBadge({ status, isAbsent }: { status: Sensor['Status']; isAbsent: boolean }): JSX.Element {
  if (isAbsent) return <Badge tone="quiet">Unavailable</Badge>;
  if (status.Health === 'Critical') return <Badge tone="bad">Critical</Badge>;
  if (status.Health === 'Warning') return <Badge tone="warn">Warning</Badge>;
  return <Badge tone="good">OK</Badge>;
}
