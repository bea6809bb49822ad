/** Charts over time, drawn on the server: lines or columns, whose slices say their figures and lead to what they count. */

import { figure } from '../../../base/dashboard/parts.ts';
import { type Html, html } from '../../../base/pages/html.ts';

/** One series, with as many values as the chart has slices. A null value leaves a gap. */
interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** One of the three colors. */
  readonly color: 1 | 2 | 3;
}

interface Chart {
  readonly title: string;
  /** Kind of chart. `columns` are stacked in the order of the series. */
  readonly kind: 'lines' | 'columns';
  readonly series: readonly Series[];
  /** Label of each slice of time, such as `14:00`. */
  readonly labels: readonly string[];
  /** Unit after the figures and above the axis, such as `ms`. */
  readonly unit?: string;
  /** The counted things, above the axis of figures without a unit. */
  readonly axis?: string;
  /** Start of the slices, for labels in the viewer's time zone. */
  readonly clock: SliceClock;
  /** Address of the page behind a slice. */
  linkOf(slice: number): string;
}

/** Start and length of the first slice, in milliseconds; `cut` is the part of `2026-11-24 14:30:00` that its label shows. */
export interface SliceClock {
  readonly since: number;
  readonly step: number;
  readonly labelRange: readonly [from: number, to: number];
}

const WIDTH = 480;
const HEIGHT = 186;
const LEFT = 44;
const RIGHT = 8;
/** Space above the slices. The style sheet repeats this value and the height of a slice. */
const TOP = 26;
const BOTTOM = 22;
const TICKS = 4;

/**
 * Draws a chart as a card. Each slice is a link to the page behind it, and its text holds the values, which appear at the pointer and the focus
 * without a script.
 */
export function chart({ title, kind, series, labels, unit = '', axis = unit, clock, linkOf }: Chart): Html {
  const sliceMaxima = labels.map((_, slice) =>
    kind === 'columns'
      ? series.reduce((sum, { values }) => sum + (values[slice] ?? 0), 0)
      : Math.max(0, ...series.map(({ values }) => values[slice] ?? 0)),
  );
  const max = niceCeiling(Math.max(...sliceMaxima, 0));
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, labels.length);
  const y = (value: number) => round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max));
  const labelInterval = Math.ceil(labels.length / 6);
  const scale = { y, step };
  return html`<section class="card" data-since="${clock.since}" data-step="${clock.step}" data-cut="${clock.labelRange.join()}"><h2>${title}</h2>
<ul class="legend">${series.map(
    ({ name, color }) =>
      html`<li><svg viewBox="0 0 20 10" aria-hidden="true">${
        kind === 'columns'
          ? html`<rect width="20" height="10" class="s${color}"/>`
          : html`<path d="M0 5H20" class="l${color}"/>`
      }</svg>${name}</li>`,
  )}</ul>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="${title}: ${summary(series, unit)}">
<text x="0" y="12">${axis}</text>
${Array.from({ length: TICKS + 1 }, (_, tick) => (max * tick) / TICKS).map(
  (value) => html`<path class="grid" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}"/>
<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${shortFigure(value)}</text>`,
)}
${labels.map((label, slice) =>
  slice % labelInterval === 0
    ? html`<text x="${round(LEFT + step * (slice + 0.5))}" y="${HEIGHT - 6}" text-anchor="middle" data-slice="${slice}">${label}</text>`
    : null,
)}
${kind === 'columns' ? drawColumns(series, labels, scale) : series.map((singleSeries) => drawLine(singleSeries, scale))}
${labels.map((label, slice) => {
  const values = series
    .map(({ name, values: seriesValues }) => `${showValue(seriesValues[slice], unit)} ${name}`)
    .join(', ');
  return html`<a class="slice" href="${linkOf(slice)}"><rect x="${round(LEFT + step * slice)}" width="${round(step)}"/><text><tspan>${label}</tspan>: ${values}</text></a>`;
})}
</svg></section>`;
}

interface ChartScale {
  readonly y: (value: number) => number;
  readonly step: number;
}

function drawColumns(series: readonly Series[], labels: readonly string[], { y, step }: ChartScale): Html[] {
  return labels.flatMap((_, slice) => {
    let stackedSum = 0;
    return series.flatMap(({ values, color }) => {
      const value = values[slice] ?? 0;
      if (value === 0) return [];
      const from = y(stackedSum);
      stackedSum += value;
      const x = round(LEFT + step * slice + step * 0.12);
      return [
        html`<rect class="s${color}" x="${x}" y="${y(stackedSum)}" width="${round(step * 0.76)}" height="${round(Math.max(1, from - y(stackedSum)))}"/>`,
      ];
    });
  });
}

function drawLine({ values, color }: Series, { y, step }: ChartScale): Html {
  const hasValue = (slice: number) => (values[slice] ?? null) !== null;
  const isolatedPoints: Html[] = [];
  const pathCommands = values.map((value, slice) => {
    if (value === null) return '';
    const x = round(LEFT + step * (slice + 0.5));
    if (hasValue(slice - 1)) return `L${x} ${y(value)}`;
    if (hasValue(slice + 1)) return `M${x} ${y(value)}`;
    // A path with one point is invisible.
    isolatedPoints.push(html`<circle class="s${color}" cx="${x}" cy="${y(value)}" r="4"/>`);
    return '';
  });
  return html`${isolatedPoints}<path class="l${color}" d="${pathCommands.join('')}"/>`;
}

function summary(series: readonly Series[], unit: string): string {
  return series
    .map(({ name, values }) => {
      const definedValues = values.filter((value) => value !== null);
      return definedValues.length === 0
        ? `${name} none`
        : `${name} up to ${withUnit(Math.max(...definedValues), unit)}`;
    })
    .join(', ');
}

function showValue(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? '–' : withUnit(value, unit);
}

function withUnit(value: number, unit: string): string {
  return unit === '' ? figure(value) : `${figure(value)} ${unit}`;
}

/** Returns the top of the axis, so that each tick is a multiple of 1, 2, 3, 5 or 10 times a power of ten: whole numbers that are easy to read. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value / TICKS))));
  const factor = [1, 2, 3, 5, 10].find((candidate) => candidate * power * TICKS >= value) ?? 10;
  return factor * power * TICKS;
}

function shortFigure(value: number): string {
  if (value >= 1e6) return `${round(value / 1e6)}M`;
  if (value >= 1e4) return `${round(value / 1e3)}k`;
  return figure(round(value));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
