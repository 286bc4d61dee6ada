const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether a list of hosts contains the host of a URL, by name or address, with or without port.
 *
 * @example isListedHost(new URL('https://images.example:8443/a.iso'), ['images.example']) // true
 */
export function isListedHost(url: URL, hosts: readonly string[]): boolean {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (PORTS[url.protocol] ?? '') : url.port;
  const names = [bare, url.hostname, `${url.hostname}:${port}`].map((name) => name.toLowerCase());
  return hosts.some((host) => names.includes(host.toLowerCase()));
}
