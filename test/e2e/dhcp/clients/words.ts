/** Splits a text at spaces. */
export function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Prefix length of a netmask: 16 for `255.255.0.0`. */
export function prefixOf(mask: string): number {
  return mask
    .split('.')
    .map((octet) => Number(octet).toString(2).replaceAll('0', '').length)
    .reduce((sum, ones) => sum + ones, 0);
}

/** Parses option 121 in dhclient's format of octets: `24 192 168 5 10 77 0 253` is `192.168.5.0/24 10.77.0.253`. */
export function routesOfOctets(text: string): string[] {
  const octets = words(text);
  const routes: string[] = [];
  while (octets.length >= 5) {
    const prefix = Number(octets.shift());
    const destination = octets.splice(0, Math.ceil(prefix / 8));
    const padded = [...destination, '0', '0', '0', '0'].slice(0, 4).join('.');
    routes.push(`${padded}/${prefix} ${octets.splice(0, 4).join('.')}`);
  }
  return routes;
}

/** Joins words in pairs: destination and gateway. */
export function pairs(text: string): string[] {
  const all = words(text);
  return all.flatMap((word, index) => (index % 2 === 0 ? [`${word} ${all[index + 1] ?? ''}`] : []));
}
