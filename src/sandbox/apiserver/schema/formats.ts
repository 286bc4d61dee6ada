import { isIPv4, isIPv6 } from 'node:net';

/** Checks of the string formats that kube-apiserver enforces; of others it takes no notice. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: (text) => {
    const [address = '', length = '', ...rest] = text.split('/');
    return (
      rest.length === 0 &&
      /^\d{1,3}$/.test(length) &&
      ((isIPv4(address) && Number(length) <= 32) || (isIPv6(address) && Number(length) <= 128))
    );
  },
  mac: (text) =>
    /^([0-9a-fA-F]{2}([:-])([0-9a-fA-F]{2}\2){4}[0-9a-fA-F]{2}|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})$/.test(
      text,
    ),
  uri: (text) => URL.canParse(text),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) =>
    /^-?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w)( ?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w))*$/.test(text) ||
    text === '0',
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  hostname: (text) =>
    /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
};

export function hasFormat(text: string, format: string | undefined): boolean {
  return format === undefined || FORMATS[format] === undefined || FORMATS[format](text);
}
