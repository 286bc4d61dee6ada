import { useLayoutEffect, useState } from 'preact/hooks';

/** Rows that are rendered: from `first` to before `end`. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

/** Rows rendered beyond each edge of the window, so that they are there when the reader scrolls. */
const MARGIN = 12;

/**
 * The rows of a long table that the window shows.
 *
 * @param top pixels between the top of the window and that of the first row; negative if it is above
 * @param windowHeight in pixels
 */
export function visibleRange(count: number, rowHeight: number, top: number, windowHeight: number): Range {
  const first = Math.floor(-top / rowHeight) - MARGIN;
  const end = Math.ceil((windowHeight - top) / rowHeight) + MARGIN;
  // Of a table that is out of the window, its nearest rows.
  return { first: clamp(first, 0, Math.max(0, count - MARGIN)), end: clamp(end, Math.min(count, MARGIN), count) };
}

/** The same for a table in the page, which scrolls with the window. */
export function useVisibleRange(body: { current: HTMLElement | null }, count: number, rowHeight: number): Range {
  const [range, setRange] = useState<Range>(() => visibleRange(count, rowHeight, 0, innerHeight));
  useLayoutEffect(() => {
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = visibleRange(count, rowHeight, top, innerHeight);
      setRange((old) => (old.first === next.first && old.end === next.end ? old : next));
    };
    const plan = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    addEventListener('scroll', plan, { passive: true });
    addEventListener('resize', plan);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', plan);
      removeEventListener('resize', plan);
    };
  }, [body, count, rowHeight]);
  // The count may have changed since the last look.
  return { first: Math.min(range.first, count), end: Math.min(range.end, count) };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
