/** The parts of RFC 3339 with the text that stands for each in Go's layouts. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
  ['05', /^\d\d(?:[.,]\d+)?/],
  ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/],
];
const MICRO = /\.\d{6}(?!\d)/;

/** A metav1.Time as Kubernetes writes it: UTC, whole seconds. Throws Error in the words of Go's time package. */
export function canonicalTime(text: string): string {
  return `${instant(text, '2006-01-02T15:04:05Z07:00').toISOString().slice(0, 19)}Z`;
}

/** A metav1.MicroTime as Kubernetes writes it: UTC, six decimals. Throws Error in the words of Go's time package. */
export function canonicalMicroTime(text: string): string {
  const layout = '2006-01-02T15:04:05.000000Z07:00';
  const whole = instant(text, layout).toISOString().slice(0, 19);
  const decimals = MICRO.exec(text)?.[0];
  if (decimals === undefined) {
    const rest = text.slice(19);
    throw new Error(`parsing time ${JSON.stringify(text)} as "${layout}": cannot parse "${rest}" as ".000000"`);
  }
  return `${whole}${decimals}Z`;
}

function instant(text: string, layout: string): Date {
  const quoted = JSON.stringify(text);
  let rest = text;
  for (const [part, pattern] of PARTS) {
    const match = pattern.exec(rest)?.[0];
    if (match === undefined)
      throw new Error(`parsing time ${quoted} as "${layout}": cannot parse "${rest}" as "${part}"`);
    rest = rest.slice(match.length);
  }
  if (rest !== '') throw new Error(`parsing time ${quoted}: extra text: ${JSON.stringify(rest)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (text.match(/\d+/g) ?? []).map(Number);
  const outside =
    month < 1 || month > 12
      ? 'month'
      : day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()
        ? 'day'
        : hour > 23
          ? 'hour'
          : minute > 59
            ? 'minute'
            : second > 59
              ? 'second'
              : undefined;
  if (outside !== undefined) throw new Error(`parsing time ${quoted}: ${outside} out of range`);
  return new Date(text.replace(',', '.'));
}
