const COMPILED = new Map<string, RegExp>();
/** The size limit of the cache: CEL rules can compute patterns from values. */
const MOST_COMPILED = 2_000;

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const ESCAPE = String.raw`\\[pP](?:\{\^?\w+\}|\w)|\\x(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{2})|\\.`;
const POSIX_CLASS = String.raw`\[:\^?\w+:\]`;
const CLASS = String.raw`\[\^?\]?(?:${POSIX_CLASS}|${ESCAPE}|[^\]])*\]`;
const TOKEN = new RegExp(
  String.raw`\\Q.*?(?:\\E|$)|${ESCAPE}|${CLASS}|\(\?P?<\w+>|\(\?[imsU]*(?:-[imsU]+)?:|\(\?|\{\d+(?:,\d*)?\}|.`,
  'gsu',
);
const CLASS_TOKEN = new RegExp(`${POSIX_CLASS}|${ESCAPE}|.`, 'gsu');

/** Translates a regular expression of Go (RE2 syntax) to JavaScript. Throws Error for patterns that Go refuses. */
export function compilePattern(pattern: string): RegExp {
  const known = COMPILED.get(pattern);
  if (known !== undefined) return known;
  const compiled = translate(pattern);
  if (COMPILED.size >= MOST_COMPILED) COMPILED.clear();
  COMPILED.set(pattern, compiled);
  return compiled;
}

function translate(pattern: string): RegExp {
  const [prefix = '', flags = ''] = /^\(\?([imsU]+)\)/.exec(pattern) ?? [];
  const isDotAll = flags.includes('s');
  const source = pattern.slice(prefix.length).replace(TOKEN, (token) => {
    if (token === '.') return isDotAll ? '.' : '[^\\n]';
    return translateToken(token, pattern);
  });
  try {
    return new RegExp(source, `u${[...new Set(withoutGreed(flags))].join('')}`);
  } catch {
    throw invalid(pattern);
  }
}

function translateToken(token: string, pattern: string): string {
  if (token.startsWith('\\Q')) return token.replace(/^\\Q|\\E$/g, '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (token.startsWith('\\') && token !== '\\') return translateEscape(token, false);
  if (token.startsWith('[') && token !== '[') return translateClass(token);
  if (token === '(?') throw invalid(pattern);
  if (token.startsWith('(?P<')) return token.replace('P', '');
  if (/^\(\?[imsU-]*:$/.test(token)) return withoutGreed(token).replace('-:', ':');
  return '{}]'.includes(token) ? `\\${token}` : token;
}

/** Removes the flag U (ungreedy), which does not change whether a text matches. */
function withoutGreed(flags: string): string {
  return flags.replaceAll('U', '');
}

function translateClass(token: string): string {
  const open = token.startsWith('[^') ? '[^' : '[';
  const parts = token.slice(open.length, -1).match(CLASS_TOKEN) ?? [];
  const isSet = (part: string | undefined) => part !== undefined && /^(?:\\[dDsSwWpP]|\[:)/.test(part);
  const translated = parts.map((part, index) => {
    if (part.startsWith('[:') && part.length > 2) return posix(part);
    if (part.startsWith('\\')) return translateEscape(part, true);
    // A dash at either end or after a set is literal.
    const isDash = part === '-' && (index === 0 || index === parts.length - 1 || isSet(parts[index - 1]));
    return isDash || part === ']' ? `\\${part}` : part;
  });
  return `${open}${translated.join('')}]`;
}

function posix(token: string): string {
  const [, not = '', name = ''] = /^\[:(\^?)(\w+):\]$/.exec(token) ?? [];
  const characters = POSIX[name];
  if (characters === undefined) throw invalid(token);
  return not === '' ? characters : complement(characters);
}

/** The complement of a class of ASCII characters. */
function complement(characters: string): string {
  const known = new RegExp(`[${characters}]`, 'u');
  const others = Array.from({ length: 128 }, (_, code) => code).filter(
    (code) => !known.test(String.fromCharCode(code)),
  );
  return `${others.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('')}\\u{80}-\\u{10ffff}`;
}

function translateEscape(token: string, inClass: boolean): string {
  if (/^\\[pP]/.test(token)) return property(token);
  const code = /^\\x\{?([0-9A-Fa-f]+)/.exec(token);
  if (code !== null) return `\\u{${code[1] ?? ''}}`;
  const letter = token.slice(1);
  // White space in RE2 is ASCII without the vertical tab.
  if (letter === 's') return inClass ? '\\t\\n\\f\\r ' : '[\\t\\n\\f\\r ]';
  if (letter === 'S') return inClass ? '\\u{0}-\\x08\\x0B\\x0E-\\x1F!-\\u{10FFFF}' : '[^\\t\\n\\f\\r ]';
  if (letter === 'a') return '\\x07';
  if (letter === 'A' && !inClass) return '^';
  if (letter === 'z' && !inClass) return '$';
  if ('dDwWftnrv'.includes(letter) || ('bB'.includes(letter) && !inClass)) return token;
  if (/[0-9A-Za-z]/.test(letter)) throw invalid(token);
  return /[\\^$.*+?()[\]{}|/]/.test(letter) || (inClass && letter === '-') ? token : letter;
}

/** A general category (`\pL`) or a script (`\p{Greek}`). */
function property(token: string): string {
  const name = token.slice(2).replace(/[{}^]/g, '');
  const isNegated = token.startsWith('\\P') !== token.includes('^');
  for (const known of [...(/^[A-Z][a-z]?$/.test(name) ? [name] : []), `Script=${name}`]) {
    try {
      new RegExp(`\\p{${known}}`, 'u');
      return `\\${isNegated ? 'P' : 'p'}{${known}}`;
    } catch {
      // Not a category, or not a script.
    }
  }
  throw invalid(token);
}

function invalid(text: string): Error {
  return new Error(`error parsing regexp: \`${text}\``);
}
