/** Who a request comes from. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What the authenticator knows beyond that, e.g. which token it was. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
