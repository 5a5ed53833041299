// Sends a file in parts by the tus protocol. What arrived is known to the server and to this browser, so that
// a lost connection, or a page that was closed, costs at most one part.

export const PART = 8 << 20;
// Milliseconds to wait before a part is sent again, each after the one before failed too.
const WAITS = [1, 2, 5, 10, 20, 30, 60].map((seconds) => seconds * 1000);
const OTHER_OFFSET = 409;
const DISK_FULL = 507;

// The library is loaded where it is needed, which is seldom.
async function load(address) {
  if (!window.tus) await import(address);
  return window.tus;
}

// A part is sent again where the connection broke or the server failed; a refusal stays one.
function mayPass(error) {
  const status = error.originalResponse?.getStatus() ?? 0;
  return status === OTHER_OFFSET || ((status < 400 || status >= 500) && status !== DISK_FULL);
}

function reasonOf(error) {
  if (!error.originalResponse) return "";
  try {
    return JSON.parse(error.originalResponse.getBody()).detail;
  } catch {
    return "";
  }
}

async function openBatch(form, address) {
  const response = await fetch(address);
  const { upload } = await response.json();
  // It has none where it was deleted meanwhile, on another page.
  if (upload) location.assign(form.dataset.batch.replace("/0/", `/${upload}/`));
  else location.reload();
}

function optionsOf(form, file, tell) {
  const role = form.elements.role?.value ?? "class";
  const preview = form.elements.preview ? "true" : "false";
  return {
    endpoint: form.dataset.parts,
    chunkSize: PART,
    retryDelays: WAITS,
    removeFingerprintOnSuccess: true,
    metadata: { filename: file.name, role, preview },
    headers: { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
    // What was begun for another assignment or role is not continued.
    fingerprint: async () =>
      ["moss", form.dataset.parts, role, preview, file.name, file.size, file.lastModified].join("|"),
    onProgress: tell.progress,
    onShouldRetry: (error) => {
      const again = mayPass(error);
      if (again) tell.waits();
      return again;
    },
    onError: (error) => tell.failed(reasonOf(error)),
  };
}

// Sends the file that was chosen in a form, and opens the page of the upload when it is whole. Returns a function
// that cancels. `tell` has what is called with the progress and the end.
export function sendInParts(form, tell) {
  const [file] = form.elements.files.files;
  let sending = null;
  const start = async () => {
    const library = await load(form.dataset.library);
    const options = optionsOf(form, file, tell);
    options.onSuccess = () => openBatch(form, sending.url).catch(() => tell.failed(""));
    sending = new library.Upload(file, options);
    const [begun] = await sending.findPreviousUploads();
    if (begun) sending.resumeFromPreviousUpload(begun);
    sending.start();
    tell.started();
  };
  start().catch(() => tell.failed(""));
  // Nothing is kept of a cancelled upload, neither here nor by the server.
  return () => sending.abort(true).then(tell.cancelled, () => tell.failed(""));
}
