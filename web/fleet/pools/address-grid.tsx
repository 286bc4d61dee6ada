import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { BmcStatus } from '../../../cli/status/overview.ts';
import { Time } from '../../common/time.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { inDigits } from '../parts/usage-bar.tsx';
import { linkTo } from '../routes.ts';
import { type AddressMap, formatAddress, type Layout, layoutOf, placeOfKey, type Use, USES } from './address-map.ts';
import { drawMap } from './draw-map.ts';

const WORDS: Readonly<Record<Use, string>> = {
  free: 'Free',
  excluded: 'Excluded',
  resting: 'Resting, not free yet',
  allocated: 'Allocated, not bound',
  bound: 'Bound',
  blocked: 'Used by another machine',
  router: 'Router',
  server: 'DHCP server',
};

const LEGEND: readonly Use[] = ['bound', 'allocated', 'resting', 'blocked', 'excluded', 'server', 'router', 'free'];

/**
 * All addresses of a pool as a grid of small cells. For assistive technology it is a slider over the addresses, which says
 * for each what it is used for; the leases are also in a table.
 */
export function AddressGrid({ map }: { map: AddressMap }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const [width, setWidth] = useState(0);
  const [place, setPlace] = useState(0);
  const [look, setLook] = useState(0);
  const layout = useMemo(() => layoutOf(map, width), [map, width]);
  const count = map.uses.length;
  const at = Math.min(place, count - 1);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = (): void => {
      setWidth(element.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  useEffect(
    () =>
      onThemeChange(() => {
        setLook((old) => old + 1);
      }),
    [],
  );
  useLayoutEffect(() => {
    if (canvas.current === null || width === 0) return;
    drawMap(canvas.current, map, layout, (use) => {
      // The colours are those of the legend, which the style sheet sets.
      const swatch = legend.current?.querySelector(`[data-use="${use}"]`);
      const style = swatch ? getComputedStyle(swatch) : undefined;
      return { fill: style?.backgroundColor ?? '', sign: style?.color ?? '' };
    });
  }, [map, layout, width, look]);

  const go = (next: number): void => {
    setPlace(next);
    const row = Math.floor((layout.lead + next) / layout.columns) * layout.cell;
    const view = frame.current;
    if (view === null) return;
    if (row < view.scrollTop) view.scrollTop = row;
    else if (row + layout.cell > view.scrollTop + view.clientHeight)
      view.scrollTop = row + layout.cell - view.clientHeight;
  };
  const pick = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const found = placeAt(layout, event.clientX - left, event.clientY - top);
    if (found !== undefined && found < count) setPlace(found);
  };
  return (
    <div class="address-grid">
      <Legend map={map} list={legend} />
      <div class="grid-frame" ref={frame}>
        <div
          class="grid-cells"
          role="slider"
          tabIndex={0}
          aria-label="Addresses"
          aria-valuemin={0}
          aria-valuemax={count - 1}
          aria-valuenow={at}
          aria-valuetext={wordsOf(map, at)}
          style={{ width: `${layout.columns * layout.cell}px`, height: `${layout.rows * layout.cell}px` }}
          onPointerMove={pick}
          onPointerDown={pick}
          onKeyDown={(event) => {
            const next = placeOfKey(event.key, at, count, layout.columns);
            if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            go(next);
          }}
        >
          <canvas ref={canvas} />
          <span class="grid-cursor" style={cursorStyle(layout, at)} />
        </div>
      </div>
      <Detail map={map} place={at} />
    </div>
  );
}

function Legend({ map, list }: { map: AddressMap; list: { current: HTMLUListElement | null } }): JSX.Element {
  const counts = useMemo(() => {
    const found = new Map<Use, number>();
    for (const index of map.uses) {
      const use = USES[index] ?? 'free';
      found.set(use, (found.get(use) ?? 0) + 1);
    }
    return found;
  }, [map]);
  return (
    <ul class="usage-legend" ref={list}>
      {LEGEND.filter((use) => counts.has(use)).map((use) => (
        <li key={use}>
          <span class={`swatch use-${use}`} data-use={use} />
          {WORDS[use]} <strong>{inDigits(counts.get(use) ?? 0)}</strong>
        </li>
      ))}
    </ul>
  );
}

/** The address under the pointer or the cursor. It always has the same height. */
function Detail({ map, place }: { map: AddressMap; place: number }): JSX.Element {
  const { overview } = useFleet();
  const lease = map.leases.get(place);
  const bmc = lease && overview.bmcs.find((one) => isOf(one, lease));
  return (
    <p class="grid-detail">
      <strong class="mono">{formatAddress(map.first + place)}</strong>
      <span>{WORDS[USES[map.uses[place] ?? 0] ?? 'free']}</span>
      {lease !== undefined && (
        <>
          <span>
            {bmc === undefined ? (
              `${lease.namespace}/${lease.name}`
            ) : (
              <a href={linkTo({ place: 'bmcs', object: bmc })}>{`${lease.namespace}/${lease.name}`}</a>
            )}
          </span>
          <span class="mono quiet">{lease.macAddress}</span>
          {lease.lastSeen !== undefined && (
            <span class="quiet">
              Seen <Time at={lease.lastSeen} />
            </span>
          )}
        </>
      )}
    </p>
  );
}

function isOf({ namespace, virtualMachine }: BmcStatus, lease: { namespace: string; name: string }): boolean {
  return namespace === lease.namespace && virtualMachine === lease.name;
}

function wordsOf({ first, uses, leases }: AddressMap, place: number): string {
  const lease = leases.get(place);
  const words = [formatAddress(first + place), WORDS[USES[uses[place] ?? 0] ?? 'free']];
  return [...words, ...(lease === undefined ? [] : [`${lease.namespace}/${lease.name}`, lease.macAddress])].join(', ');
}

function placeAt({ columns, lead, cell }: Layout, x: number, y: number): number | undefined {
  const column = Math.floor(x / cell);
  if (column < 0 || column >= columns) return undefined;
  const place = Math.floor(y / cell) * columns + column - lead;
  return place < 0 ? undefined : place;
}

function cursorStyle({ columns, lead, cell }: Layout, place: number): Record<string, string> {
  const x = ((lead + place) % columns) * cell;
  const y = Math.floor((lead + place) / columns) * cell;
  return { width: `${cell}px`, height: `${cell}px`, transform: `translate(${x - 1}px, ${y - 1}px)` };
}

/** The colours of a canvas do not follow the style sheet by themselves. */
function onThemeChange(changed: () => void): () => void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(changed);
  media.addEventListener('change', changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    media.removeEventListener('change', changed);
    observer.disconnect();
  };
}
