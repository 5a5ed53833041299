<%@ page import="java.util.List" %>
<%-- A harbour and its readings.
     The largest change; it never shrinks --%>
<!-- A harbour and its readings.
  The largest change; it never shrinks -->
<%! private int swing(int first, int second) { return Math.abs(first - second); } %>
<h1 class="harbour"><%= title.toUpperCase() %> of the east</h1>
<ul>
<% for (int level : levels) { %>
  <li title="<%= t("quay") %>">Level <%= level + 1 %> is "high"</li>
  <% worst = Math.max(worst, level); // its readings
  %>
<% } %>
</ul>
<% if (worst > 3 && !calm) { %>
  <p>It's high today, stay at <b title='The quay'>the quay</b>.</p>
<% } else { %>
  <p><%= "low" + 0x1F %></p>
<% } %>
