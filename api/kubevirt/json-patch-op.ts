/** One operation of a JSON Patch (RFC 6902), of those that a guarded edit needs. */
export type JsonPatchOp =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };
