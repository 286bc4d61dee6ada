/** Types of the codec of the npm package `dhcp`, which has none, as far as tests use it. */
declare module 'dhcp/lib/protocol.js' {
  interface NpmMessage {
    op: number;
    htype: number;
    hlen: number;
    hops: number;
    xid: number;
    secs: number;
    flags: number;
    /** `10.0.0.1`; the other addresses likewise. */
    ciaddr: string;
    yiaddr: string;
    siaddr: string;
    giaddr: string;
    /** `52-54-00-12-34-56`. */
    chaddr: string;
    sname: string;
    file: string;
    magicCookie?: number;
    options: Record<number, string | string[] | number | number[] | boolean>;
  }

  const protocol: {
    parse(datagram: Buffer): NpmMessage;
    /** The first `_w` bytes of `_data` are the datagram. */
    format(message: NpmMessage): { readonly _data: Buffer; readonly _w: number };
  };
  export default protocol;
}
