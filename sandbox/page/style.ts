/** The style sheet of the sandbox's page. */

export const PAGE_STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .375rem .5rem .375rem 0; text-align: left; overflow-wrap: normal; border-bottom: 1px solid GrayText; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
label { max-width: 100%; } select, input { display: block; } select, input, button { font: inherit; padding: .375rem .625rem; max-width: 100%; }
button { cursor: pointer; color: CanvasText; background: Canvas; border: 1px solid GrayText; border-radius: .375rem; }
button.primary { color: Canvas; background: CanvasText; } form p { flex-basis: 100%; margin: 0; }
ol, ul { padding-left: 2.5rem; } @media (max-width: 30rem) { table { font-size: .875rem; } th:nth-child(3), td:nth-child(3) { display: none; } }
li { margin: .375rem 0; } pre { margin: .25rem 0; white-space: pre-wrap; font-size: .8125rem; }
`;
