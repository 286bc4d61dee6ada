import { type AddressMap, type Layout, type Use, USES } from './address-map.ts';

/** Cells that are smaller, in pixels, have no sign. */
const SMALLEST_SIGN = 10;
/** Signs tell uses apart without their colours. */
const SIGNS: Readonly<Partial<Record<Use, string>>> = {
  allocated: '–',
  resting: '⋯',
  blocked: '×',
  excluded: '/',
  router: 'R',
  server: 'S',
};

/** Colours of a use: of the cell and of the sign in it. */
export interface Colours {
  readonly fill: string;
  readonly sign: string;
}

/** Draws all addresses, at the resolution of the screen. */
export function drawMap(
  canvas: HTMLCanvasElement,
  { uses }: AddressMap,
  { columns, rows, lead, cell }: Layout,
  coloursOf: (use: Use) => Colours,
): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  // A canvas of a /16 in a narrow window is long: browsers limit their size.
  const scale = rows * cell * devicePixelRatio > 16_000 ? 1 : devicePixelRatio;
  canvas.width = columns * cell * scale;
  canvas.height = rows * cell * scale;
  context.scale(scale, scale);
  context.font = `600 ${Math.round(cell * 0.6)}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const gap = cell >= SMALLEST_SIGN ? 2 : 1;
  const colours = USES.map(coloursOf);
  for (const [place, use] of uses.entries()) {
    const x = ((lead + place) % columns) * cell;
    const y = Math.floor((lead + place) / columns) * cell;
    const { fill, sign } = colours[use] ?? { fill: '', sign: '' };
    context.fillStyle = fill;
    context.fillRect(x, y, cell - gap, cell - gap);
    const letter = SIGNS[USES[use] ?? 'free'];
    if (letter === undefined || cell < SMALLEST_SIGN) continue;
    context.fillStyle = sign;
    context.fillText(letter, x + (cell - gap) / 2, y + (cell - gap) / 2);
  }
}
