/** Who a request comes from. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}
