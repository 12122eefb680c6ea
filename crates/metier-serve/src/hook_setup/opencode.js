// Written by `metier hook setup opencode`; `metier hook remove opencode` removes it.
// Every tool call is shown to metier first. What metier does not answer does not happen.
import { spawn } from "node:child_process"

const METIER = ["metier"]
const PATIENCE_MS = 10000
const parents = new Map()

function root(session) {
  // Sub-agents share the session of whoever started them.
  for (let steps = 0; parents.has(session) && steps < 100; steps += 1) session = parents.get(session)
  return session
}

function ask(event) {
  return new Promise((resolve, reject) => {
    const refuse = (why) => reject(new Error("metier: " + why))
    const child = spawn(METIER[0], [...METIER.slice(1), "hook", "opencode"], {
      cwd: event.cwd,
      stdio: ["pipe", "pipe", "ignore"],
    })
    let out = ""
    const timer = setTimeout(() => { child.kill("SIGKILL"); refuse("there was no answer in time") }, PATIENCE_MS)
    child.on("error", (error) => { clearTimeout(timer); refuse("it cannot be started: " + error.message) })
    child.stdout.on("data", (data) => { out += data })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 0 && out === "") return resolve()
      try { refuse(JSON.parse(out).reason.replace(/^metier: /, "")) } catch { refuse("it could not answer") }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

export const Metier = async ({ directory }) => ({
  event: async ({ event }) => {
    const info = event?.properties?.info
    if (event?.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
    if (event?.type === "session.deleted" && info?.id && !parents.has(info.id)) {
      await ask({ hook_event_name: event.type, session_id: info.id, cwd: directory }).catch(() => {})
    }
  },
  "tool.execute.before": async (input, output) => {
    await ask({
      hook_event_name: "tool.execute.before",
      session_id: root(input.sessionID),
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args ?? {},
    })
  },
})
