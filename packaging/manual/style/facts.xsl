<?xml version="1.0" encoding="UTF-8"?>
<!-- Prints a page's facts for the checks that compare them with the code: one per line, in tab-terminated fields. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="common.xsl"/>
<xsl:output method="text" encoding="UTF-8"/>

<xsl:template match="/">
  <xsl:apply-templates select="modulesynopsis/directivesynopsis"/>
  <!-- Each page starts with an example. -->
  <xsl:for-each select="*/summary/highlight[count(preceding-sibling::*) &lt; 3][1]"><xsl:value-of select="concat('example&#9;', @language, '&#10;')"/></xsl:for-each>
  <!-- What each format of the page must contain: code blocks, rows, items. -->
  <xsl:value-of select="concat('blocks&#9;', count(//highlight | manualpage/synopsis), ' ', count(//tr), ' ', count(//li | //dt), '&#10;')"/>
  <!-- The forms in the sections with these names. -->
  <xsl:for-each select="manualpage/section[@id = 'commands']/dl/dt/form"><xsl:value-of select="concat('command&#9;', ., '&#10;')"/></xsl:for-each>
  <xsl:for-each select="manualpage/section[@id = 'options']/dl/dt/form"><xsl:value-of select="concat('option&#9;', ., '&#10;')"/></xsl:for-each>
  <xsl:for-each select="//td[1][starts-with(., 'UA')]"><xsl:value-of select="concat('tag&#9;', ., '&#10;')"/></xsl:for-each>
  <!-- The fixed parts of a log line or message. -->
  <xsl:for-each select="*[title = 'Troubleshooting']//td[1]/code/text()"><xsl:value-of select="concat('quote&#9;', normalize-space(.), '&#10;')"/></xsl:for-each>
  <xsl:for-each select="//td[1]/code[contains(., '.') and contains(../../../tr/th[1], 'conf/recipes')]"><xsl:value-of select="concat('recipe&#9;', ., '&#10;')"/></xsl:for-each>
  <xsl:for-each select="//td[1]/code[starts-with(., 'useradmin_')]"><xsl:value-of select="concat('metric&#9;', ., '&#10;')"/></xsl:for-each>
  <xsl:for-each select="//td[1]/code[../../../tr/th[1] = 'alert']"><xsl:value-of select="concat('alert&#9;', ., '&#10;')"/></xsl:for-each>
</xsl:template>

<xsl:template match="directivesynopsis">
  <xsl:variable name="name" select="name"/>
  <xsl:variable name="module" select="../name"/>
  <xsl:for-each select="$modules//directivesynopsis[name = $name and not(@location)]">
    <xsl:variable name="head" select="concat($module, '&#9;', $name, '&#9;')"/>
    <xsl:value-of select="concat('description&#9;', $head, normalize-space(description), '&#10;')"/>
    <xsl:for-each select="syntax"><xsl:value-of select="concat('syntax&#9;', $head, normalize-space(.), '&#10;')"/></xsl:for-each>
    <!-- Omit explanations that stand for a value. -->
    <xsl:if test="default and not(default/var)"><xsl:value-of select="concat('default&#9;', $head, normalize-space(default), '&#10;')"/></xsl:if>
    <xsl:for-each select="contextlist/context"><xsl:value-of select="concat('context&#9;', $head, ., '&#10;')"/></xsl:for-each>
    <xsl:value-of select="concat('usage&#9;', $head, normalize-space(usage), '&#10;')"/>
  </xsl:for-each>
</xsl:template>

</xsl:stylesheet>
