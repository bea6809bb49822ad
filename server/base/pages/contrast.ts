/** Contrast of colours: keeps colours that others choose readable. Colours are `#rrggbb`. */

/** Contrast that the edge of a control needs (WCAG 2.2 §1.4.11). */
const EDGE_CONTRAST = 3;

const BLACK = '#000000';
const WHITE = '#ffffff';

/** Steps from an edge's colour to black or white. */
const STEPS = 20;

/** Contrast ratio, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(first: string, second: string): number {
  const [dark = 0, light = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever has more contrast with the colour: always at least 4.58, the root of 21, where text needs 4.5 (WCAG 2.2 §1.4.3). */
export function textOn(color: string): string {
  return contrastOf(color, BLACK) >= contrastOf(color, WHITE) ? BLACK : WHITE;
}

/**
 * The colour as an edge or a text: darkened on light backgrounds, lightened on dark ones, only as far as its contrast with each requires.
 *
 * @param grounds all light, or all dark. @param least contrast. Default: 3, as edges need.
 */
export function edgeOn(color: string, grounds: readonly [string, ...string[]], least = EDGE_CONTRAST): string {
  const end = textOn(grounds[0]);
  for (let step = 0; step < STEPS; step++) {
    const edge = mix(color, end, step / STEPS);
    if (grounds.every((ground) => contrastOf(edge, ground) >= least)) return edge;
  }
  return end;
}

function mix(from: string, to: string, share: number): string {
  const end = channelsOf(to);
  const mixed = channelsOf(from).map((value, index) => Math.round(value + ((end[index] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
