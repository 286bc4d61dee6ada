import type { PlayedKind } from './kinds.ts';

/** Which version of an object a request names: as it is known, as it was first known, none, or nonsense. */
export type Version = 'current' | 'first' | 'none' | 'unknown';

/** One request, in words that mean the same on every server: versions and UIDs are named by how they came about. */
export interface Operation {
  kind: PlayedKind;
  /** Of the object in the path; `GENERATED` is the last one that the server made up. */
  name: string;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  /** What of the object, or all of the kind. */
  on: 'object' | 'status' | 'collection';
  query: Readonly<Record<string, string>>;
  contentType?: string;
  /** Default JSON. */
  accept?: string;
  body?: unknown;
  /** Put into `metadata.resourceVersion`, or the preconditions of a deletion. */
  version?: Version | undefined;
  /** Whether `metadata.uid`, or the precondition, names the object's own. */
  uid?: 'own' | 'other' | undefined;
  /** A key of the body, or of its metadata, that its text has twice. */
  twice?: string | undefined;
}

/** Requests on one kind, and how a watch looks on. */
export interface Sequence {
  kind: PlayedKind;
  watch: { query: Readonly<Record<string, string>>; accept: string };
  operations: readonly Operation[];
}

export const GENERATED = 'generated';
/** Stand for the namespace that all is played in, which is there all the time, in owner references. */
export const OWNER_UID = '11111111-1111-4111-8111-111111111111';
export const OWNER_NAME = 'the-owner';
