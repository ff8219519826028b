# Varnish before the service, as a cache. What is not said here is as in the built-in VCL.
vcl 4.1;

import std;

backend default {
  .host = "127.0.0.1";
  .port = "8080";
}

sub vcl_recv {
  # A part, and a 304 for a date, would carry the digest and signature of the whole.
  unset req.http.Range;
  unset req.http.If-Range;
  unset req.http.If-Modified-Since;
  # The built-in VCL does the same for Authorization.
  if (req.http.X-SVC-Key) {
    return (pass);
  }
  # Pages are HTML, or Markdown for clients that name it. Without this rule, Varnish would store a copy of each page for
  # each browser's Accept header.
  if (req.http.Accept !~ "(?i)markdown") {
    unset req.http.Accept;
  }
}

sub vcl_backend_response {
  # max-age and stale-while-revalidate are ttl and grace already. What is kept beyond is only asked for again, with its
  # ETag: the 304 brings X-SVC-Revalidated, which Varnish puts into what it stored.
  set beresp.keep = 1h;
  # The digest is over what the client decodes.
  if (beresp.http.Content-Type ~ "^application/json") {
    set beresp.do_gzip = true;
  }
}

sub vcl_deliver {
  # The first invites the next cache to cut; the others name the program, and in newer versions the machine.
  unset resp.http.Accept-Ranges;
  unset resp.http.Via;
  unset resp.http.X-Varnish;
  unset resp.http.X-Vinyl;
  # Not every cache behind this one reads Age. So the service's stale-while-revalidate is used up here, and what is stale
  # already is not stored again.
  if (resp.http.Cache-Control ~ "stale-while-revalidate") {
    if (obj.hits > 0 && obj.ttl <= 0s) {
      set resp.http.Cache-Control = "public, max-age=0";
    } else {
      set resp.http.Cache-Control = regsub(resp.http.Cache-Control, ", *stale-while-revalidate=[0-9]+", "");
    }
  }
  # Varnish adds Accept-Encoding to Vary where it compresses, and loses it with the Vary of the next 304. A cache behind it
  # would give compressed bodies to who cannot read them.
  if (resp.http.Content-Type ~ "^application/json" && resp.http.Vary !~ "(?i)accept-encoding") {
    if (resp.http.Vary) {
      set resp.http.Vary = resp.http.Vary + ", Accept-Encoding";
    } else {
      set resp.http.Vary = "Accept-Encoding";
    }
  }
  # A 304 made by Varnish would carry the signature of the stored response, and a browser's cache would merge it into its
  # own copy, which is of other bytes. It carries the proof instead; without a proof the whole response is sent.
  if (req.http.If-None-Match && resp.status == 200) {
    if (resp.http.X-SVC-Revalidated && std.strstr(req.http.If-None-Match, resp.http.ETag)) {
      set req.http.If-None-Match = resp.http.ETag;
      set req.http.X-Unsigned = "304";
    } else {
      unset req.http.If-None-Match;
    }
  }
  # A HEAD is answered from a stored GET, and its response has no signature either.
  if (req.method == "HEAD") {
    set req.http.X-Unsigned = "HEAD";
  }
  if (req.http.X-Unsigned) {
    unset resp.http.Content-Digest;
    unset resp.http.X-SVC-Signed-At;
    unset resp.http.X-SVC-Signature;
    unset resp.http.Signature;
    unset resp.http.Signature-Input;
    unset resp.http.X-Request-Id;
  }
}
