/** Renders a tool in the lists of pages. */

import { badge } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { ToolFace } from '../../../contract/index.ts';
import { effectName, effectOf } from './facts.ts';

/** A tool in a list, with a link to its page. */
interface ToolItem {
  readonly tool: ToolFace;
  readonly path: string;
  /** Title of its service. Null on a page of that service. */
  readonly service: string | null;
}

export function toolItem({ tool, path, service }: ToolItem): Html {
  const suffix = service === null ? null : ` · ${service}`;
  return html`<li><a href="${path}"><code>${tool.name}</code></a> ${effectBadge(tool)}<small>${tool.title}${suffix}</small></li>`;
}

/** Returns a badge with the effect of a tool in one or two words. */
export function effectBadge(tool: ToolFace): Html {
  const effect = effectOf(tool);
  return badge(effectName(effect), effect);
}
