import type { Place } from "../../config/folders.ts";
import type { Route, RoutedAgent } from "../agent-routes/route.ts";
import { orNothing } from "./loose-json.ts";

/** Where an agent would send its requests by itself, as far as its files can be read. */
export function routeWithout(agent: RoutedAgent, place: Place): Route {
  return orNothing(() => agent.routeOf(place)) ?? { kind: "default" };
}

/** The base URL that is in use without Ebb; null where nothing states one. */
export function statedUrlOf(agent: RoutedAgent, place: Place): string | null {
  const route = routeWithout(agent, place);
  return route.kind === "stated" && route.url.trim() !== "" ? route.url.trim() : null;
}
