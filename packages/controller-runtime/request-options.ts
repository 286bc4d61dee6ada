import type { Status } from './errors.ts';
import type { KubeObject } from './objects.ts';

export interface Selection {
  /** Absent: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface RequestOptions {
  /** Aborts the request. */
  signal?: AbortSignal;
}

export interface ListOptions extends Selection, RequestOptions {
  limit?: number;
  continue?: string;
  resourceVersion?: string;
}

export interface WatchOptions extends Selection {
  resourceVersion: string;
  /** The server ends the watch after this time. */
  timeoutSeconds: number;
  signal: AbortSignal;
  /** Maximum milliseconds without a byte of the watch. Default: the transport's idle timeout. */
  idleTimeout?: number;
  /** Called when the server has accepted the watch. */
  onOpen?: () => void;
}

export type WatchEvent<T extends KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: Status };

export type PatchType = 'merge' | 'json' | 'strategic';

export interface WriteOptions extends RequestOptions {
  /** The subresource to write instead of the object. */
  subresource?: 'status' | 'scale';
  dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Take over fields of other field managers. */
  force?: boolean;
  /** Default: the client's field manager. */
  fieldManager?: string;
}

export interface DeleteOptions extends RequestOptions {
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/** Runs a request. It rejects if `signal` is aborted before. */
export type InTurn = <T>(
  request: () => Promise<T>,
  about: { path: string; signal: AbortSignal | undefined },
) => Promise<T>;
