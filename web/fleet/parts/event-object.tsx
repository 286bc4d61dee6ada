import type { JSX } from 'preact';
import type { EventStatus } from '../../../cli/status/overview.ts';
import { pageOf } from '../data/troubles.ts';

/** The object of an event, with a link to its page. */
export function EventObject({ event: { kind, namespace, name } }: { event: EventStatus }): JSX.Element {
  const page = pageOf({ kind, namespace, name });
  const words = `${namespace}/${name}`;
  return <strong>{page === undefined ? words : <a href={page}>{words}</a>}</strong>;
}
