import { useMemo } from 'preact/hooks';
import type { Place } from '../common/frame.tsx';
import { useHashPath } from '../common/use-hash-path.ts';

export const PLACES = [
  { path: 'overview', title: 'Overview', icon: 'gauge' },
  { path: 'bmcs', title: 'BMCs', icon: 'server' },
  { path: 'pools', title: 'IP pools', icon: 'grid' },
  { path: 'networks', title: 'Network configs', icon: 'network' },
  { path: 'agents', title: 'Managers', icon: 'gear' },
  { path: 'events', title: 'Events', icon: 'list' },
] as const satisfies readonly Place[];

export type PlaceName = (typeof PLACES)[number]['path'];

/** Where the reader is: a page, perhaps an object on it, and what the page is filtered by. */
export interface Location {
  readonly place: PlaceName;
  readonly object: { readonly namespace: string; readonly name: string } | undefined;
  /** Filters of the page by name. */
  readonly filters: Readonly<Record<string, string>>;
}

export function useLocation(): Location {
  const path = useHashPath();
  return useMemo(() => locationOf(path), [path]);
}

/** @param path fragment of the URL behind `#/`, such as `bmcs/vms/web?show=ill` */
export function locationOf(path: string): Location {
  const [way = '', query = ''] = path.split('?', 2);
  const [first, namespace, name] = way.split('/').map(decoded);
  const place = PLACES.find((one) => one.path === first)?.path ?? 'overview';
  const object = namespace === undefined || name === undefined || name === '' ? undefined : { namespace, name };
  return { place, object, filters: Object.fromEntries(new URLSearchParams(query)) };
}

/** The link to a place. Filters that are empty are left out. */
export function linkTo({ place, object, filters = {} }: Partial<Location> & { place: PlaceName }): string {
  const way = [place, ...(object === undefined ? [] : [object.namespace, object.name])].map(encodeURIComponent);
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
  return `#/${way.join('/')}${query === '' ? '' : `?${query}`}`;
}

/** Goes to a link without a new entry in the history. */
export function replaceLocation(link: string): void {
  history.replaceState(undefined, '', link);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not written by this page.
    return part;
  }
}
