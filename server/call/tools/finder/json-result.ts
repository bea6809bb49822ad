/** Builds results of the gateway's own tools. */

import type { CompleteToolResult } from '../provider.ts';
import { escapeTags } from '../results/tag-characters.ts';

/** Returns structured content, and the same as text for clients that read only text. */
export function toJsonResult(value: Readonly<Record<string, unknown>>): CompleteToolResult {
  const text = JSON.stringify(value);
  return { content: [{ type: 'text', text: escapeTags(text) }], structuredContent: JSON.parse(text) };
}
