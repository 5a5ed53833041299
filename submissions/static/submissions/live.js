// Keeps a [data-live] element current: asks its address every second until the answer is no longer live.

const SECOND = 1000;
let misses = 0;

// A reload would lose what somebody is typing or has chosen.
function inUse() {
  const typing = document.activeElement?.matches("input, select, textarea");
  const chosen = [...document.querySelectorAll("input[type=file]")].some((input) => input.files.length > 0);
  return typing || chosen;
}

function offerReload(place) {
  const notice = document.createElement("p");
  notice.className = "notice good";
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show the newest report";
  notice.append("Finished. ", link);
  place.replaceChildren(notice);
}

async function refresh(place) {
  const answer = await fetch(place.dataset.live, { headers: { "X-Requested-With": "fetch" } });
  if (!answer.ok || answer.redirected) throw new Error(`${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(place.id);
  misses = 0;
  if (fresh.dataset.live) {
    // The element itself stays, so that a screen reader hears only what changed.
    if (place.innerHTML !== fresh.innerHTML) place.replaceChildren(...fresh.childNodes);
    return true;
  }
  if (inUse()) offerReload(place);
  else location.reload();
  return false;
}

async function follow(place) {
  let live = true;
  while (live) {
    await new Promise((done) => setTimeout(done, SECOND * Math.min(2 ** misses, 30)));
    try {
      live = await refresh(place);
    } catch {
      misses += 1;  // the server is away or somebody signed out: ask less and less often
    }
  }
}

for (const place of document.querySelectorAll("[data-live]")) follow(place);
