/** The pages' script. Every button also works without it: connecting then uses the whole page, and events appear on reload. */

export const BROWSER_SCRIPT = `'use strict';
for (const button of document.querySelectorAll('button.popup')) {
  button.form.addEventListener('submit', (event) => {
    event.preventDefault();
    connect(new FormData(button.form));
  });
}

for (const box of document.querySelectorAll('.copyable')) {
  const copy = document.createElement('button');
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(box.firstChild.textContent);
    copy.textContent = 'Copied';
  });
  box.append(copy);
}

async function connect(form) {
  form.set('popup', 'yes');
  const session = post('/connect', form).then((response) => response.json());
  const url = session.then(({ connect_url }) => connect_url);
  try {
    // The gateway's connect.js opens the window at once, within the click, and waits for the address.
    const { code } = await UnifiedToolGateway.connect(url, { state: document.body.dataset.state });
    await post('/connected-in-popup', new URLSearchParams({ code }));
  } catch (error) {
    if (error.code !== 'closed') await post('/connected-in-popup', new URLSearchParams());
  }
  location.reload();
}

async function post(path, form) {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(form) });
  if (!response.ok) throw new Error(path + ' answered ' + response.status);
  return response;
}

const events = document.getElementById('events');
if (events) {
  setInterval(async () => {
    const response = await fetch('/events').catch(() => null);
    if (response === null || !response.ok) return;
    const text = await response.text();
    if (events.dataset.text !== text) events.innerHTML = events.dataset.text = text;
  }, 2000);
}
`;
