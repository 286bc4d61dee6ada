import type { KubeObject } from './objects.ts';

/**
 * The JSON form of a client-node model: dates are RFC 3339 strings, and properties that client-node renamed because
 * they are not JavaScript identifiers have their original names (`_default` → `default`, `x_kubernetes_list_type` →
 * `x-kubernetes-list-type`).
 */
export type Wire<T> = 0 extends 1 & T // true only for `any`
  ? unknown
  : T extends Date
    ? string
    : T extends (infer Element)[]
      ? Wire<Element>[]
      : T extends object
        ? { [K in keyof T as WireName<K>]: Wire<T[K]> }
        : T;

/** The JSON form of a client-node model of an object, with the metadata that Groundcrew uses. */
export type WireObject<T> = Omit<Wire<T>, keyof KubeObject> & KubeObject;

type WireName<K> = K extends `_${infer Name}` ? Name : K extends `x_kubernetes_${string}` ? Dashed<K> : K;

type Dashed<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : K;
